from __future__ import annotations

import gc

import pytest

from grader.cli.garbage import lasting, rarely_collected


def test_garbage_is_looked_for_as_before_once_a_command_has_ended() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), rarely_collected():
        with lasting():
            assert not gc.isenabled()
        assert gc.isenabled()
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count()
        raise KeyError
    assert gc.get_threshold() == before
    assert not gc.get_freeze_count()


def test_what_is_read_in_vain_leaves_python_looking_for_garbage() -> None:
    with pytest.raises(KeyError), rarely_collected(), lasting():
        raise KeyError
    assert gc.isenabled()
    assert not gc.get_freeze_count()
