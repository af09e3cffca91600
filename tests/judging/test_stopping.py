from __future__ import annotations

import asyncio
import os
import signal
import threading

import pytest

from grader.judging.stopping import INTERRUPTED_EXIT_CODE, Stop, Stopped, on_interrupt


def test_nothing_stops_before_it_is_told_to() -> None:
    stop = Stop()
    stop.check()
    assert (stop.is_set, stop.error, stop.is_interrupted) == (False, None, False)


def test_the_first_reason_counts() -> None:
    stop = Stop()
    first = ValueError("first")
    stop.fail(first)
    stop.fail(ValueError("second"))
    assert stop.error is first
    with pytest.raises(Stopped):
        stop.check()


def test_an_interrupt_is_no_error() -> None:
    stop = Stop()
    stop.interrupt()
    assert (stop.is_set, stop.error, stop.is_interrupted) == (True, None, True)


def test_sleeping_ends_in_time_or_as_soon_as_the_run_stops() -> None:
    async def run() -> None:
        stop = Stop()
        await stop.sleep(0.001)
        asyncio.get_running_loop().call_later(0.01, stop.interrupt)
        with pytest.raises(Stopped):
            await asyncio.wait_for(stop.sleep(60), 5)
        with pytest.raises(Stopped):
            await asyncio.wait_for(stop.sleep(60), 5)
        await stop.wait()

    asyncio.run(run())


def test_the_first_interrupt_stops_gently_and_the_second_at_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    before = signal.getsignal(signal.SIGINT)

    async def run() -> Stop:
        stop = Stop()
        with on_interrupt(stop):
            os.kill(os.getpid(), signal.SIGINT)
            await stop.wait()
            assert left == []
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.01)
        return stop

    assert asyncio.run(run()).is_interrupted
    assert left == [INTERRUPTED_EXIT_CODE] == [130]
    assert "Stopped at once" in capfd.readouterr().err
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_interrupts_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    async def run() -> None:
        with on_interrupt(Stop()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    thread.join()
    assert seen == [before]
