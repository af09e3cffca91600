from __future__ import annotations

from grader.inputs.rubric_file import read_rubric
from grader.probing.orders import swapped_bands, swapped_blocks, swapped_criteria
from grader.prompting.data_blocks import block
from grader.prompting.render import PromptRenderer
from grader.records import NONCE_PLACEHOLDER, Criterion, Item, Prompt

ITEM = Item(id="1", system="s", answer="An answer.", question="Why?", reference="Because.")


def prompt(user: str) -> Prompt:
    messages = ({"role": "system", "content": "Judge."}, {"role": "user", "content": user})
    return Prompt(item=ITEM, messages=messages)


def test_blocks_change_places_with_what_leads_in_to_them() -> None:
    before = PromptRenderer(*read_rubric("likert")).render(ITEM)
    swapped = swapped_blocks(before)
    assert swapped is not None
    was, now = before.messages[1]["content"], swapped.messages[1]["content"]
    assert was.index("The question:") < was.index("The reference") < was.index("The answer to rate:")
    assert now.index("The answer to rate:\n" + block("answer", "An answer.")) == 0
    assert now.index("The answer to rate:") < now.index("not to be rated:\n<reference-") < now.index("The question:")
    assert sorted(was.split()) == sorted(now.split())
    assert now.rpartition("Reply in")[2] == was.rpartition("Reply in")[2]
    assert swapped.messages[0] == before.messages[0]


def test_blocks_that_cannot_be_told_apart_stay() -> None:
    answer, question = block("answer", "a"), block("question", "q")
    assert swapped_blocks(prompt(f"{question}\n{answer}\nForm")) is not None
    assert swapped_blocks(prompt("No blocks at all")) is None
    assert swapped_blocks(prompt(f"Only one\n{answer}\nForm")) is None
    assert swapped_blocks(prompt(f"{question}\n{question}")) is None
    nested = f"<question-{NONCE_PLACEHOLDER}>\n{answer}\n</question-{NONCE_PLACEHOLDER}>"
    assert swapped_blocks(prompt(nested)) is None


def test_criteria_change_places_within_their_level_and_keep_their_numbers() -> None:
    criteria = tuple(
        Criterion(item_id="1", text=text, number=number, level=level)
        for text, number, level in (("a", 1, 50.0), ("b", 2, 50.0), ("c", 1, 100.0))
    )
    swapped = swapped_criteria(Item(id="1", system="s", answer="", criteria=criteria))
    assert swapped is not None
    assert [(each.level, each.number, each.text) for each in swapped.criteria] == [
        (100.0, 1, "c"),
        (50.0, 2, "b"),
        (50.0, 1, "a"),
    ]
    assert swapped_criteria(Item(id="1", system="s", answer="", criteria=criteria[1:])) is None
    listed = swapped_criteria(Item(id="1", system="s", answer="", fields={"checklist": "one\n\ntwo"}))
    assert listed is not None and listed.fields["checklist"] == "two\none"


def test_bands_of_scale_and_dimensions_change_places() -> None:
    rubric = read_rubric("relevance")[0]
    assert swapped_bands(rubric).bands == rubric.bands[::-1]
    tiered, template_path = read_rubric("tiered")
    criteria = tuple(Criterion(item_id="1", text=f"t{level}", level=level) for level in (25.0, 100.0))
    renderer = PromptRenderer(swapped_bands(tiered), template_path, lowest_level_first=True)
    user = renderer.render(Item(id="1", system="s", answer="a", criteria=criteria)).messages[1]["content"]
    assert "lowest level first" in user and user.index("Level 25") < user.index("Level 100")
