from __future__ import annotations

import gc

import pytest

from grader.cli.garbage import keep_what_there_is, rarely_collected


def test_garbage_is_looked_for_as_before_once_a_command_has_ended() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), rarely_collected():
        keep_what_there_is()
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count()
        raise KeyError
    assert gc.get_threshold() == before
    assert not gc.get_freeze_count()
