// The table of items: search, filters, sorting and details; every text is set as text, never as markup.
"use strict";
(() => {
  const { runs, questions, items } = JSON.parse(document.getElementById("item-data").textContent);
  const PAGE = 100;
  const byId = (id) => document.getElementById(id);
  const collator = new Intl.Collator(undefined, { numeric: true });

  const node = (tag, options = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) {
      if (name === "text") made.textContent = value;
      else if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
      else if (value !== undefined && value !== null) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  const shown = (score) => (score === null || score === undefined ? "\u2013" : String(Math.round(score * 1e4) / 1e4));
  const question = (item) => questions[item.q];
  const answerText = (item) => item.answer.map((part) => (typeof part === "string" ? part : part[0])).join("");
  const isScored = (item) => item.status === "ok" || item.status === "repaired";

  /* What is searched, made when it is first needed. */
  const haystack = (item) => {
    if (item.hay === undefined) {
      const asked = question(item);
      const verdicts = (item.verdicts || []).map((each) => `${each.evidence || ""} ${each.comment || ""}`);
      const experts = (item.experts || []).map((each) => `${each.name} ${each.comment} ${each.said.join(" ")}`);
      item.hay = [asked.id, asked.question, asked.group, item.system, answerText(item), item.analysis || "", item.reason || "",
        ...item.why, ...verdicts, ...experts].join("\n").toLowerCase();
    }
    return item.hay;
  };

  const hasExperts = items.some((item) => item.expert !== undefined || item.experts);
  const columns = [
    { key: "item", name: "Item", value: (item) => question(item).id },
    runs.length > 1 && { key: "run", name: "Run", value: (item) => runs[item.run] },
    { key: "system", name: "System", value: (item) => item.system },
    questions.some((each) => each.group) && { key: "group", name: "Group", value: (item) => question(item).group },
    { key: "judge", name: "Judge", value: (item) => item.judge, isNumber: true },
    hasExperts && { key: "expert", name: "Expert", value: (item) => item.expert ?? null, isNumber: true },
    { key: "final", name: "Final", value: (item) => item.final, isNumber: true },
    { key: "status", name: "Status", value: (item) => item.status + item.why.length },
    { key: "answer", name: "Answer", value: answerText },
  ].filter(Boolean);

  const state = { sort: null, isDescending: false, found: items, drawn: 0 };
  const body = node("tbody", { role: "rowgroup" });
  let heads = [];

  /* Numbers before nothing, in either direction; else the order of the run. */
  const compare = (column) => (one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    if (column.isNumber) {
      if (a === null || b === null) return (a === null) - (b === null);
      return state.isDescending ? b - a : a - b;
    }
    return state.isDescending ? collator.compare(b, a) : collator.compare(a, b);
  };

  const sortBy = (column) => {
    if (state.sort === column) state.isDescending = !state.isDescending;
    else { state.sort = column; state.isDescending = false; }
    heads.forEach((head, place) => head.setAttribute("aria-sort",
      columns[place] !== column ? "none" : state.isDescending ? "descending" : "ascending"));
    apply();
  };

  const table = () => {
    heads = columns.map((column) => node("th", { scope: "col", role: "columnheader", "aria-sort": "none", class: `c-${column.key}${column.isNumber ? " num" : ""}` },
      node("button", { type: "button", text: column.name, on: { click: () => sortBy(column) } })));
    return node("table", { class: "items", role: "table", "aria-label": "Items" },
      node("thead", { role: "rowgroup" }, node("tr", { role: "row" }, ...heads)), body);
  };

  const tags = (item) => {
    const made = isScored(item) ? [] : [node("span", { class: "tag bad", text: item.status.replaceAll("_", " ") })];
    made.push(...item.why.filter((why) => isScored(item) || !why.startsWith("no score")).map((why) => node("span", { class: "tag warn", text: why })));
    return made.length ? made : [node("span", { class: "tag", text: item.status })];
  };

  const cell = (column, item, id) => {
    const place = { role: "cell", "data-label": column.name, class: column.isNumber ? "num" : "" };
    if (column.key === "item") {
      const label = question(item).id + (item.sample ? ` (sample ${item.sample})` : "");
      const button = node("button", { class: "open", type: "button", "aria-expanded": "false", "aria-controls": id, dir: "auto", text: label });
      return node("th", { scope: "row", role: "rowheader" }, button);
    }
    if (column.key === "status") return node("td", place, ...tags(item));
    if (column.key === "answer") return node("td", place, node("div", { class: "clip", dir: "auto", text: answerText(item).slice(0, 300) }));
    const value = column.value(item);
    const text = column.isNumber ? shown(value) : value;
    return node("td", { ...place, class: place.class + (text === "\u2013" || !text ? " blank" : "") }, node("bdi", { text }));
  };

  const row = (item, place) => {
    const id = `detail-${place}`;
    const made = node("tr", { class: "item", role: "row" }, ...columns.map((column) => cell(column, item, id)));
    made.querySelector(".open").addEventListener("click", (event) => toggle(event.currentTarget, made, item, id));
    return made;
  };

  const toggle = (button, after, item, id) => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) byId(id).remove();
    else after.after(node("tr", { id, role: "row" }, node("td", { class: "detail", role: "cell", colspan: columns.length }, ...details(item))));
  };

  const prose = (text, kind = "") => node("p", { class: `prose ${kind}`, dir: "auto", text });
  const part = (title, ...content) => [node("h4", { text: title }), ...content];

  const answer = (item) => {
    const labels = item.verdicts || [];
    const pieces = item.answer.map((piece) => typeof piece === "string" ? document.createTextNode(piece)
      : node("mark", { title: `Quoted for ${piece[1].map((place) => labels[place].label).join(", ")}` }, piece[0],
        node("sup", { text: piece[1].map((place) => labels[place].label).join(" ") })));
    return answerText(item) ? node("div", { class: "box", tabindex: "0", role: "group", "aria-label": "Answer" }, node("p", { class: "prose", dir: "auto" }, ...pieces))
      : node("p", { class: "quiet", text: "The answer is empty." });
  };

  const metWords = (met) => (met ? "met" : "not met");

  const verdictList = (item) => {
    const said = new Map((item.verdicts || []).map((each) => [each.label, each]));
    const lines = question(item).criteria.map(([label, text, points]) => {
      const each = said.get(label) || {};
      const counts = each.expert ?? each.met;
      return node("li", { class: counts === undefined ? "" : counts ? "met" : "unmet" },
        node("b", { text: `${label}${counts === undefined ? "" : " " + metWords(counts)}` }),
        node("bdi", { text: text + (points === 1 ? "" : ` [${points} points]`) }),
        each.evidence ? node("q", { dir: "auto", text: each.evidence }) : null,
        each.expert !== undefined && each.met !== undefined && each.expert !== each.met
          ? node("span", { class: "said", text: `The judge said ${metWords(each.met)}.` }) : null,
        each.comment ? node("span", { class: "said", dir: "auto", text: `Expert: ${each.comment}` }) : null);
    });
    return lines.length ? part("Criteria", node("ul", { class: "verdicts" }, ...lines)) : [];
  };

  const expertLine = (each) => {
    const words = [each.score === null ? "" : `score ${shown(each.score)}`, each.comment ? `\u201c${each.comment}\u201d` : "", ...each.said].filter(Boolean);
    return node("li", {}, node("b", { text: each.name + (each.how ? ` (${each.how})` : "") }), " ", node("bdi", { text: words.join(" \u00b7 ") }));
  };

  const others = (item) => items.filter((each) => each !== item && each.q === item.q);

  const otherList = (item) => {
    const same = others(item);
    if (!same.length) return [];
    const lines = same.map((each) => node("li", {}, node("bdi", { text: (runs.length > 1 ? `${runs[each.run]}, ` : "") + each.system + (each.sample ? ` (sample ${each.sample})` : "") }),
      `: ${shown(each.final)}`));
    return part("The same question elsewhere", node("ul", {}, ...lines));
  };

  const scores = (item) => {
    const words = [`Final ${shown(item.final)}`, `judge ${shown(item.judge)}`];
    if (item.expert !== undefined) words.push(`expert ${shown(item.expert)}`);
    for (const [name, value] of Object.entries(item.dimensions || {})) words.push(`${name.replaceAll("_", " ")} ${shown(value)}`);
    return node("p", {}, node("strong", { text: words[0] }), " \u00b7 " + words.slice(1).join(" \u00b7 "));
  };

  const details = (item) => {
    const asked = question(item);
    const left = [
      ...(asked.question ? part("Question", prose(asked.question)) : []),
      ...part("Answer", answer(item)),
      ...(asked.reference ? part("Reference", prose(asked.reference)) : []),
    ];
    const right = [
      ...part("Score", scores(item), ...(item.flags || []).map((flag) => node("p", { class: "tag warn", text: flag })), item.reason ? prose(item.reason, "quiet") : null),
      ...(item.analysis ? part("Judge\u2019s analysis", prose(item.analysis)) : []),
      ...verdictList(item),
      ...(item.experts ? part("Experts", node("ul", { class: "verdicts" }, ...item.experts.map(expertLine))) : []),
      ...otherList(item),
    ];
    return [node("div", { class: "columns" }, node("div", {}, ...left), node("div", {}, ...right))];
  };

  const drawMore = () => {
    const until = Math.min(state.found.length, state.drawn + PAGE);
    const fragment = document.createDocumentFragment();
    for (let place = state.drawn; place < until; place += 1) fragment.append(row(state.found[place], place));
    body.append(fragment);
    const first = state.drawn;
    state.drawn = until;
    const left = state.found.length - until;
    byId("more").hidden = !left;
    byId("more").textContent = `Show ${Math.min(PAGE, left)} more`;
    const of = state.found.length === items.length ? "" : ` of ${items.length.toLocaleString("en")}`;
    byId("count").textContent = `${state.found.length.toLocaleString("en")}${of} items` + (left ? `, the first ${until.toLocaleString("en")} shown` : "");
    return first;
  };

  const numberIn = (id) => (byId(id).value === "" ? null : Number(byId(id).value));

  const matching = () => {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [low, high] = [numberIn("f-min"), numberIn("f-max")];
    const chosen = (id, value) => byId(id).value === "" || byId(id).value === value;
    return (item) => chosen("f-run", String(item.run)) && chosen("f-system", item.system) && chosen("f-group", question(item).group)
      && chosen("f-status", item.status) && (!byId("f-review").checked || item.why.length > 0)
      && (low === null || (item.final !== null && item.final >= low)) && (high === null || (item.final !== null && item.final <= high))
      && words.every((word) => haystack(item).includes(word));
  };

  const apply = () => {
    state.found = items.filter(matching());
    if (state.sort) state.found.sort(compare(state.sort));
    state.drawn = 0;
    body.replaceChildren();
    drawMore();
  };

  const fill = (id, values, label = (value) => value) => {
    byId(id).append(new Option("All", ""), ...values.map((value) => new Option(label(value), value)));
    byId(id).closest(".field").hidden = values.length < 2;
  };

  const distinct = (values) => [...new Set(values)].filter((value) => value !== "");

  const begin = () => {
    fill("f-run", runs.map((_, place) => String(place)), (place) => runs[place]);
    fill("f-system", distinct(items.map((item) => item.system)));
    fill("f-group", distinct(questions.map((each) => each.group)));
    fill("f-status", distinct(items.map((item) => item.status)), (status) => status.replaceAll("_", " "));
    const form = byId("filters");
    form.hidden = false;
    let waiting = 0;
    form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
    form.addEventListener("reset", () => setTimeout(apply));
    form.addEventListener("submit", (event) => event.preventDefault());
    byId("more").addEventListener("click", () => {
      const first = drawMore();
      body.querySelectorAll("tr.item")[first].querySelector(".open").focus();
    });
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest("input, select, textarea");
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        byId("search").focus();
      }
      if (event.key === "Escape" && event.target === byId("search")) { byId("search").value = ""; apply(); }
    });
    byId("table").append(table());
    apply();
  };

  begin();
})();
