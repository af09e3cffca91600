"""Reads the replies that a run's store recorded, to be replayed; neither locks nor changes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from grader.errors import RunError
from grader.records import RecordedReply
from grader.store.sqlite_file import open_read_only, told

_RECORDED = """
WITH latest AS (
    SELECT key, max(id) AS id FROM call WHERE is_finished = 1 GROUP BY key
), graded AS (
    SELECT grade.system, grade.item_id, grade.sample, used.key AS ask, latest.id
    FROM grade, json_each(grade.call_keys) AS used JOIN latest ON latest.key = used.value
), ungraded AS (
    SELECT system, item_id, sample, ask, max(id) AS id FROM call
    WHERE is_finished = 1 AND NOT EXISTS (
        SELECT 1 FROM grade
        WHERE (grade.system, grade.item_id, grade.sample) = (call.system, call.item_id, call.sample)
    )
    GROUP BY system, item_id, sample, ask
)
SELECT found.system, found.item_id, found.sample, call.text, call.finish_reason
FROM (SELECT * FROM graded UNION ALL SELECT * FROM ungraded) AS found JOIN call ON call.id = found.id
ORDER BY found.ask, found.id
"""


def read_recorded_replies(path: Path) -> Iterator[RecordedReply]:
    """Yield the finished replies of the store at `path`, each system's in the order asked; the store is not locked.

    They are those that its grades rest on, and of items without a grade the latest: a call made before a criterion was
    changed is left out, and one reply that served two systems is given to both.

    Raises:
        RunError: it is no store, or damaged.
    """
    if not path.is_file():
        raise RunError(f"{path} does not exist", hint="Name the run.db of an earlier run, or a results.jsonl.")
    with told(path), closing(open_read_only(path)) as connection:
        for system, item_id, sample, text, finish_reason in connection.execute(_RECORDED):
            yield RecordedReply(system=system, item_id=item_id, sample=sample, text=text, finish_reason=finish_reason)
