"""The example rows of a new workbook: two questions about tea, with something for every field; no rubric knows them."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: tuple[Mapping[str, str], ...] = (
    {
        "id": "(example 1)",
        "question": "How long should black tea steep?",
        "reference": "Three to five minutes, in water just off the boil.",
        "context": "From the box: use one bag per cup. Pour on boiling water and wait 3 to 5 minutes. "
        "Longer steeping makes the tea bitter.",
        "instruction": "Answer in one sentence.",
        "history": "User: I have just bought loose black tea.\n\nAssistant: Good choice! What would you like to know?",
        "checklist": "Does it give a time in minutes?\nDoes it say how hot the water should be?",
        "raw_output": "Black tea needs hot water. Most boxes say 3 to 5 minutes. So: about four minutes.",
        "answer": "About four minutes, with water that has just boiled.",
    },
    {
        "id": "(example 2)",
        "question": "Why does green tea turn bitter, and what helps?",
        "reference": "Water that is too hot draws out bitter substances; use water of 70 to 80 °C and less time.",
        "context": "Green tea is made with water of 70 to 80 °C. Boiling water dissolves more catechins, "
        "which taste bitter.",
        "instruction": "Give the cause first, then the remedy.",
        "history": "User: My green tea tastes awful.\n\nAssistant: How do you make it?",
        "checklist": "Does it name the cause?\nDoes it give a temperature?\nIs it polite?",
        "raw_output": "Bitterness comes from catechins. Hot water dissolves more of them. So use cooler water.",
        "answer": "The water was too hot. Let it cool to about 75 °C.",
    },
)

LEVELS: tuple[Mapping[int, str], ...] = (
    {25: "(1) says that a few minutes are enough", 50: "(1) gives a time\n(2) says that the water is hot", 100: ""},
    {25: "", 50: "(1) names the hot water as the cause\n(2) advises cooler water", 100: "(1) advises 70 to 80 °C"},
)
"""Their criteria by level."""

POINTS: tuple[tuple[tuple[str, float], ...], ...] = (
    (("Gives a time between 3 and 5 minutes", 3), ("Says that the water has just boiled", 2)),
    (("Names water that is too hot as the cause", 3), ("Recommends adding sugar", -2)),
)
"""Their criteria with points."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "strictness": ("strict", ""),
    "context_role": ("reference", "supplementary"),
}
"""What they have in columns of an option's choices; others stay empty."""
