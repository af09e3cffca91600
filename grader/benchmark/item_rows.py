"""Turns finished items of a benchmark into what its store keeps and back; opens nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from grader.benchmark_records import BenchmarkItem, Combination, SubScores
from grader.records import CellRef, Reply, StoredItem, Usage
from grader.store.rows import as_verdict
from grader.store.run_store import RunStore

_REPLIES = ("worker", "accuracy_reply", "integrity_reply")


def stored_item(position: int, item: BenchmarkItem, settled_keys: tuple[str, ...] = ()) -> StoredItem:
    """Return what is kept of `item`: all but the replies that are kept as calls; some need never come again."""
    content = asdict(item)
    replies = {name: getattr(item, name) for name in _REPLIES}
    for name, reply in replies.items():
        content[name] = {"key": reply.key} if reply is not None and reply.key else content[name]
    keys = tuple(reply.key for reply in replies.values() if reply is not None and reply.key)
    return StoredItem(
        position=position,
        content=json.dumps(content, ensure_ascii=True, separators=(",", ":")),
        reply_keys=keys,
        settled_keys=settled_keys,
    )


class StoredItems:
    """The finished items in a store, in their order; each look at them reads the store, so that they need no memory."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    def __len__(self) -> int:
        return self._store.item_count()

    def __iter__(self) -> Iterator[BenchmarkItem]:
        for stored, replies in self._store.items():
            yield _as_item(json.loads(stored.content), replies)


def _as_item(content: dict[str, Any], replies: Mapping[str, Reply]) -> BenchmarkItem:
    for name in _REPLIES:
        content[name] = _as_reply(content[name], replies)
    for name in ("accuracy", "integrity"):
        content[name] = as_verdict(content[name]) if content[name] else None
    return BenchmarkItem(
        **{
            **content,
            "combination": Combination(**content["combination"]),
            "sub_scores": SubScores(**content["sub_scores"]),
            "source": CellRef(**content["source"]) if content["source"] else None,
            "flags": tuple(content["flags"]),
        }
    )


def _as_reply(content: dict[str, Any] | None, replies: Mapping[str, Reply]) -> Reply | None:
    if content is None:
        return None
    if content.get("key"):
        return replies[content["key"]]
    return Reply(**{**content, "usage": Usage(**content["usage"]) if content["usage"] else None})
