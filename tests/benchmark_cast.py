"""What a provider says that plays a benchmark's worker and both judges, told apart by the model's name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from provider import Request, Scripted

ITEMS = [
    {
        "id": n,
        "scenario_code": f"{n}.1",
        "instruction": f"Rule {n}: use a lamp.",
        "question": f"Q{n}?",
        "answer": "ten W",
    }
    for n in (1, 2, 3)
]


def accuracy(is_correct: bool) -> Scripted:
    return Scripted(text=json.dumps({"is_judged_correct": is_correct, "reasoning": "compared"}))


def integrity(score: int) -> Scripted:
    return Scripted(text=json.dumps({"integrity_score": score, "integrity_reasoning": "looked"}))


@dataclass
class Cast:
    """What the provider says in each role, by the number of the question; else what stands under 0."""

    workers: dict[int, Scripted] = field(default_factory=lambda: {0: Scripted(text="ten W")})
    accuracies: dict[int, Scripted] = field(default_factory=lambda: {0: accuracy(True)})
    integrities: dict[int, Scripted] = field(default_factory=lambda: {0: integrity(80)})
    others: Callable[[Request], Scripted] | None = None

    def __call__(self, request: Request) -> Scripted:
        roles = {"acc": self.accuracies, "int": self.integrities}
        model = request.body["model"]
        if model not in roles and not model.startswith("worker"):
            assert self.others is not None
            return self.others(request)
        lines = roles.get(model, self.workers)
        number = next(n for n in range(99, 0, -1) if f"Q{n}?" in request.prompt)
        return lines[number] if number in lines else lines[0]
