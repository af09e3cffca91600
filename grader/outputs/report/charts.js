// Draws the report's charts with Observable Plot from the numbers beside them; calculates none.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("chart-data").textContent);
  const ROW = 26;

  const number = (value) => (Math.abs(value) >= 1 ? value.toFixed(2) : value.toFixed(3)).replace(/\.?0+$/, "").replace("-", "\u2212");
  const shorten = (text, most) => (text.length > most ? text.slice(0, most - 1) + "\u2026" : text);

  /* The room that names get: what they need, and never more than a third of the width. */
  const nameRoom = (names, width) => {
    const longest = Math.max(...names.map((name) => name.length));
    const room = Math.min(longest * 7.2 + 18, width * 0.36);
    return { room, most: Math.max(6, Math.floor((room - 18) / 7.2)) };
  };

  const described = (row) =>
    row.mean === null ? `${row.label}: no score`
      : `${row.label}: ${number(row.mean)}` + (row.low === null ? ", no interval" : `, 95 % interval ${number(row.low)} to ${number(row.high)}`) + `, n = ${row.n}`;

  const style = { fontFamily: "inherit", fontSize: "13px", background: "transparent", color: "var(--ink)" };

  const plot = (options) => {
    const svg = Plot.plot({ className: "plot", style, ...options });
    const drawn = svg.tagName === "svg" ? svg : svg.querySelector("svg");
    drawn.setAttribute("role", "img");
    return svg;
  };

  const intervalMarks = (rows, fy) => {
    const whole = rows.filter((row) => row.low !== null);
    const shown = rows.filter((row) => row.mean !== null);
    return [
      Plot.gridX({ stroke: "var(--line)", strokeOpacity: 1 }),
      Plot.ruleY(whole, { x1: "low", x2: "high", y: "label", fy, stroke: "var(--accent)", strokeWidth: 3, strokeLinecap: "round", strokeOpacity: 0.55 }),
      Plot.dot(shown, { x: "mean", y: "label", fy, r: 5, fill: "var(--accent)", stroke: "var(--paper)", strokeWidth: 1.5, title: described }),
    ];
  };

  /* Intervals may reach beyond the scale; then so does the axis. */
  const reach = (domain, rows) => [
    Math.min(domain[0], ...rows.map((row) => row.low ?? domain[0])),
    Math.max(domain[1], ...rows.map((row) => row.high ?? domain[1])),
  ];

  const drawIntervals = (width) => {
    return data.intervals.map(({ domain, rows }) => {
      const names = rows.map((row) => row.label);
      const { room, most } = nameRoom(names, width);
      return plot({
        width, height: rows.length * ROW + 62, marginLeft: room, marginRight: 16, marginBottom: 42,
        ariaLabel: "Final means with 95 % intervals. " + rows.map(described).join(". "),
        x: { domain: reach(domain, rows), label: "final mean, 95 % interval", labelAnchor: "center", labelArrow: "none", labelOffset: 38 },
        y: { domain: names, label: null, tickSize: 0, tickFormat: (name) => shorten(name, most) },
        marks: intervalMarks(rows, undefined),
      });
    });
  };

  const drawGroups = (place, width) => {
    const { domain, rows } = data.groups[place];
    const names = [...new Set(rows.map((row) => row.label))];
    const groups = [...new Set(rows.map((row) => row.group))];
    const { room, most } = nameRoom(names, width);
    const figures = groups.map((group) => {
      const own = rows.filter((row) => row.group === group);
      const section = document.createElement("figure");
      const caption = document.createElement("figcaption");
      caption.textContent = group;
      const cell = width > 700 && groups.length > 1 ? (width - 32) / 2 : width;
      const side = nameRoom(names, cell);
      section.append(caption, plot({
        width: cell, height: names.length * 22 + 40, marginLeft: side.room, marginRight: 14, marginTop: 6,
        ariaLabel: `${group}: ` + own.map(described).join(". "),
        x: { domain: reach(domain, rows), label: null },
        y: { domain: names, label: null, tickSize: 0, tickFormat: (name) => shorten(name, side.most) },
        marks: intervalMarks(own, undefined),
      }));
      section.style.cssText = `display:inline-block;vertical-align:top;width:${cell}px;margin:0 16px 12px 0`;
      if (cell === width) section.style.marginRight = "0";
      return section;
    });
    const last = figures.length - 1;
    figures.forEach((figure, index) => { if (index % 2 || index === last) figure.style.marginRight = "0"; });
    return figures;
  };

  const mixed = (step, count) => step >= count ? "var(--line)" : `color-mix(in oklab, var(--low), var(--high) ${Math.round((100 * step) / Math.max(1, count - 1))}%)`;

  const legend = (classes, count) => {
    const list = document.createElement("ul");
    list.className = "legend";
    classes.forEach((name, step) => {
      const entry = document.createElement("li");
      const key = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      key.setAttribute("viewBox", "0 0 10 10");
      key.setAttribute("aria-hidden", "true");
      const square = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      square.setAttribute("width", "10");
      square.setAttribute("height", "10");
      square.setAttribute("rx", "2");
      square.style.fill = mixed(step, count);
      key.append(square);
      entry.append(key, name);
      list.append(entry);
    });
    return list;
  };

  const drawSpread = (place, width) => {
    const { classes, rows, between } = data.spreads[place];
    const count = classes.filter((name) => name !== between).length;
    const names = [...new Set(rows.map((row) => row.label))];
    const { room, most } = nameRoom(names, width);
    const shown = rows.filter((row) => row.count > 0);
    const step = new Map(classes.map((name, index) => [name, index]));
    const isDark = (row) => row.class !== between && step.get(row.class) / Math.max(1, count - 1) > 0.45;
    const stacked = { x: "share", y: "label", order: classes, z: "class" };
    const chart = plot({
      width, height: names.length * 34 + 40, marginLeft: room, marginRight: 24,
      ariaLabel: "Distribution of final scores. " + names.map((name) => `${name}: ` + shown.filter((row) => row.label === name)
        .map((row) => `${row.class}: ${Math.round(row.share * 100)} %`).join(", ")).join(". "),
      x: { domain: [0, 1], label: null, tickFormat: (share) => `${Math.round(share * 100)} %`, ticks: width < 500 ? 3 : 5 },
      y: { domain: names, label: null, tickSize: 0, padding: 0.2, tickFormat: (name) => shorten(name, most) },
      color: { domain: classes, range: classes.map((_, index) => mixed(index, count)) },
      marks: [
        Plot.barX(shown, Plot.stackX({ ...stacked, fill: "class", insetLeft: 0.5, insetRight: 0.5, title: (row) => `${row.label}, ${row.class}: ${row.count} (${Math.round(row.share * 100)} %)` })),
        Plot.text(shown, Plot.stackX({ ...stacked, text: (row) => (row.share * (width - room) > 34 ? `${Math.round(row.share * 100)} %` : ""), fill: (row) => (isDark(row) ? "var(--on-high)" : "var(--ink)"), fontSize: 11, pointerEvents: "none" })),
      ],
    });
    return [legend(classes, count), chart];
  };

  const draw = () => {
    document.querySelectorAll(".chart").forEach((place) => {
      const kind = place.dataset;
      if (kind.groups !== undefined && !data.groups[kind.groups]) return;
      place.hidden = false;
      const width = Math.floor(place.clientWidth);
      if (!width || place.drawnWidth === width) return;
      place.drawnWidth = width;
      place.replaceChildren(...(kind.spread !== undefined ? drawSpread(kind.spread, width)
        : kind.groups !== undefined ? drawGroups(kind.groups, width) : drawIntervals(width)));
    });
  };

  draw();
  let waiting = 0;
  window.addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(draw, 150); });
})();
