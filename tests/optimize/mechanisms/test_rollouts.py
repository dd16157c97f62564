"""Rollouts whose layout is switched: the gain is in the tail."""

from __future__ import annotations

import numpy as np
import pytest

from fleettui.optimize.mechanisms import rollouts
from fleettui.optimize.mechanisms.rollouts import draws_of, engine, rows, switched
from fleettui.simulation.rollout import ended


def test_a_tail_is_so_many_times_as_long() -> None:
    plain, tailed = draws_of(0.0, seed=1, index=0), draws_of(0.05, seed=1, index=0)
    long = tailed.output != plain.output
    assert long.mean() == pytest.approx(0.05, abs=0.02)
    assert np.array_equal(tailed.output[long], 8 * plain.output[long])
    assert np.array_equal(tailed.prompt, plain.prompt)


def test_a_switch_shortens_a_rollout_with_a_tail() -> None:
    draws = draws_of(0.05, seed=1, index=0)
    plain = ended(engine(1), draws)
    assert switched(draws, plain, 0.1) < 0.8 * plain.makespan
    assert engine(1).replicas == 8 * engine(8).replicas


@pytest.mark.evidence
def test_the_table_says_what_a_pause_leaves_and_what_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollouts, "RUNS", 4)
    found = {row.name: row for row in rows(1, lambda *_: None)}
    gains = [found[f"makespan, 5% long, switch at {at} left"].ours for at in ("2%", "10%")]
    assert all(one is not None and one.high is not None and one.high < 0.0 for one in gains)
    paused = [found[f"makespan, 5% long, switch at 10% left, a pause of {pause} s"].ours for pause in (5, 20)]
    assert paused[0] is not None
    assert paused[1] is not None
    assert (paused[0].value or 0.0) < (paused[1].value or 0.0)
    assert sum(row.ours is None for row in found.values()) == 2
