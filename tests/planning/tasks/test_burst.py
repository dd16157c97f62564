"""Requests of a window with other lengths: those that come in it alone, none longer than its pool takes."""

from pathlib import Path

import numpy as np

from fleettui.domain.stretch import Burst
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import burst
from fleettui.simulation.draws import Draws
from tests.planning.tasks.test_autoscale import scene

WINDOW = Burst(factor=1.0, seconds=10.0, start=10.0, end=30.0, prompts=2.0, outputs=3.0)


def test_only_what_comes_in_the_window_is_longer_and_nothing_outgrows_its_pool() -> None:
    count = 40
    draws = Draws(
        prompt=np.full(count, 300, np.int32),
        cached=np.full(count, 99, np.int32),
        output=np.full(count, 100, np.int32),
        pool=np.zeros(count, np.int32),
        tie=np.zeros(count),
        arrivals=np.arange(count, dtype=float),
        thinking=np.zeros(0),
    )
    found = burst._other_lengths(draws, WINDOW, 5.0, 4096)
    assert found.prompt.tolist() == [300] * 15 + [600] * 10 + [300] * 15
    assert found.output.tolist() == [100] * 15 + [300] * 10 + [100] * 15
    assert found.cached.tolist() == [99] * 15 + [199] * 10 + [99] * 15
    short = burst._other_lengths(draws, WINDOW, 5.0, 800)
    assert (short.prompt + short.output).max() == 800
    assert (short.cached < short.prompt).all()


def test_fewer_sequences_at_once_leave_more_to_wait(tmp_path: Path) -> None:
    source, fleet = scene(tmp_path, 20.0, 3)
    waiting = [
        burst.replay(
            Context(),
            source=source,
            fleet=fleet,
            windows=(Burst(factor=1.0, seconds=20.0, start=20.0, end=60.0, batch=batch),),
            warm=20.0,
            step=10.0,
            seed=1,
            index=0,
        )[0].waiting
        for batch in (None, 256, 1)
    ]
    assert waiting[0] == waiting[1] < waiting[2]
