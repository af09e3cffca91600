from __future__ import annotations

import logging

import pytest

from grader.judging.call_log import WaitLog


def test_a_long_wait_is_told_once_with_its_length_and_a_longer_one_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "grader.calls")
    log = WaitLog()
    for seconds in (1, 9.9, 60, 59.8, 60, 300, 299):
        log.waits(seconds)
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["waiting 60 s", "waiting 300 s"]
    assert {record.levelname for record in caplog.records} == {"INFO"}
