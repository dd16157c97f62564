"""A fleet whose one constant is slower than its profile says: the task finds which, and by how much."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fleettui.domain.backtest import CONSTANTS, MOVED_TERMS, Band, Constant, Expected, Figure, Fit, Seen
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import decode, encode
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.errors import InputError
from fleettui.hardware.own_fit import fitted_step
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import backtest as tasks
from fleettui.planning.tasks import simulate, verification
from fleettui.planning.tasks.backtest import moved
from fleettui.simulation.fleet_figures import figure
from tests.planning.simulated import question, sketch, trace
from tests.repeated import few

FIGURES = (
    Figure(metric="ttft", share=0.99),
    Figure(metric="ttft", share=0.5),
    Figure(metric="tpot", share=0.5),
    Figure(metric="running"),
)
HOUR = 3600.0


@dataclass(frozen=True, kw_only=True)
class Running:
    """A fleet that runs, as the tasks are given it."""

    source: SceneSource
    fleet: Fleet
    lengths: tuple[PoolLength, ...]
    look: tuple[PoolLength, ...]
    seed: int = 1

    def run(self, index: int) -> Replication:
        return verification.replicate(
            Context(), source=self.source, fleet=self.fleet, lengths=self.lengths, seed=self.seed, index=index
        )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Running:
    """Two replicas under 20 requests/s."""
    return made(question(trace(tmp_path_factory.mktemp("trace"))))


def made(asked: Question) -> Running:
    found = simulate.run(Context(), sketch=sketch(2), question=asked)
    best = found.answer.answer
    assert best is not None
    source = SceneSource.of(found.scenario.question, found.workload, found.answer.demand, "x", found.profiles)
    stage = verification.stage(Context(), source=source, fleet=best.fleet, sizes=(2,))
    lengths = tuple(replace(one, measured=10_000) for one in stage.lengths)
    return Running(source=source, fleet=best.fleet, lengths=lengths, look=stage.look)


def production(running: Running, constant: Constant, factor: float) -> dict[Figure, float]:
    """Return what a fleet shows whose constant is hidden, in a long run on draws of its own."""
    hidden = replace(running.fleet, pools=tuple(moved(pool, constant, factor) for pool in running.fleet.pools))
    source = running.source
    if constant == "arrival rate":
        source = replace(source, rate=source.rate * factor, key="faster")
    longer = tuple(replace(one, measured=72_000) for one in running.lengths)
    run = replace(running, source=source, fleet=hidden, seed=99, lengths=longer).run(0)
    values = {one: figure(run, hidden, one) for one in FIGURES}
    assert all(values.values())
    return {one: value for one, value in values.items() if value}


def exactly(seen: dict[Figure, float]) -> tuple[Seen, ...]:
    return tuple(
        Seen(figure=one, text="", value=value, low=value * 0.9999, high=value * 1.0001) for one, value in seen.items()
    )


def predicted(
    fleet: Fleet,
    runs: Sequence[Replication],
    seen: tuple[Seen, ...],
    window: float = HOUR,
    probes: tuple[Figure, ...] = (),
) -> Expected:
    return tasks.predict(Context(), fleet=fleet, replications=tuple(runs), seen=seen, probes=probes, window=window)


def expected(running: Running, seen: tuple[Seen, ...]) -> Expected:
    probes = (Figure(metric="e2e", share=0.9),)
    return predicted(running.fleet, [running.run(index) for index in range(4)], seen, probes=probes)


def fitted(running: Running, seen: tuple[Seen, ...], constant: Constant) -> Fit:
    return tasks.fit(
        Context(),
        source=running.source,
        fleet=running.fleet,
        lengths=running.lengths,
        look=running.look,
        seed=running.seed,
        expected=expected(running, seen),
        constant=constant,
    )


@pytest.mark.evidence
@pytest.mark.parametrize("hidden", few(["base step time", "all step times", "time per prompt token"], 1))
def test_a_hidden_constant_of_steps_by_kernels_is_found(hidden: Constant, tmp_path: Path) -> None:
    running = made(question(trace(tmp_path), step_law="kernels"))
    profiles = decode(tuple[Profile, ...], running.source.profiles)
    terms = MOVED_TERMS[hidden](1.2)
    slower = tuple(replace(one, step=fitted_step(one.step, terms, clients=8)) for one in profiles)
    source = replace(running.source, profiles=encode(tuple[Profile, ...], slower), key=f"slower {hidden}")
    longer = tuple(replace(one, measured=72_000) for one in running.lengths)
    run = replace(running, source=source, seed=99, lengths=longer).run(0)
    seen = exactly({one: value for one in FIGURES if (value := figure(run, running.fleet, one))})
    fits = {one: fitted(running, seen, one) for one in (hidden, "KV blocks")}
    assert min(fits, key=lambda one: fits[one].misfit) == hidden
    assert fits[hidden].factor.value == pytest.approx(1.2, rel=0.03)


@pytest.mark.parametrize(
    ("hidden", "factor"),
    few(
        [("all step times", 0.8), ("arrival rate", 1.2), ("base step time", 1.2), ("time per prompt token", 1.2)],
        0,
        more=1,
    ),
)
def test_the_hidden_constant_is_found_with_its_size(running: Running, hidden: Constant, factor: float) -> None:
    seen = exactly(production(running, hidden, factor))
    rivals: dict[Constant, Constant] = {"all step times": "base step time"}
    fits = {one: fitted(running, seen, one) for one in (hidden, rivals.get(hidden, "all step times"))}
    assert min(fits, key=lambda one: fits[one].misfit) == hidden
    assert fits[hidden].factor.value == pytest.approx(factor, rel=0.05)
    assert fits[hidden].factor.low < factor * 1.02
    assert fits[hidden].factor.high > factor * 0.98


@pytest.mark.thorough
def test_what_runs_as_predicted_needs_no_factor(running: Running) -> None:
    seen = exactly(production(running, "base step time", 1.0))
    rows = expected(running, seen).rows
    assert all(abs(row.gap) < 4 * row.error for row in rows)
    assert fitted(running, seen, "all step times").factor.value == pytest.approx(1.0, abs=0.02)


def test_a_seen_value_is_as_vague_as_its_digits_and_as_its_window(running: Running) -> None:
    exact = exactly({FIGURES[0]: 0.2})
    vague = (replace(exact[0], low=0.15, high=0.25),)

    def seen(one: tuple[Seen, ...], window: float) -> Band:
        (row,) = predicted(running.fleet, [running.run(index) for index in range(4)], one, window).rows
        return row.seen

    hour, day, wide = seen(exact, HOUR), seen(exact, 24 * HOUR), seen(vague, HOUR)
    assert hour.low < day.low < 0.2 < day.high < hour.high
    assert wide.low < hour.low < hour.high < wide.high


@pytest.mark.evidence
def test_fewer_blocks_are_never_tried_than_the_longest_request_takes(running: Running) -> None:
    fleet = running.fleet
    few = replace(fleet, pools=tuple(replace(one, profile=replace(one.profile, kv_blocks=400)) for one in fleet.pools))
    tight = replace(running, fleet=few)
    seen = exactly(production(tight, "base step time", 1.0))
    found = fitted(tight, seen, "KV blocks")  # a request of 3,016 tokens takes 189 blocks: a third of 400 is too few
    assert found.factor.value > 189 / 400


def test_a_figure_that_no_request_shows_is_refused(running: Running) -> None:
    run = running.run(0)
    bare = replace(run, pools=tuple(replace(pool, histograms=()) for pool in run.pools))
    seen = exactly({FIGURES[2]: 0.03})
    with pytest.raises(InputError, match="tpot"):
        predicted(running.fleet, [bare], seen)


def test_figures_that_nobody_asked_for_and_no_request_shows_are_left_out(running: Running) -> None:
    runs = [running.run(index) for index in range(2)]
    short = [
        replace(run, pools=tuple(replace(one, histograms=one.histograms[:1]) for one in run.pools)) for run in runs
    ]  # answers of one token have no TPOT
    found = predicted(running.fleet, short, (), probes=FIGURES)
    assert found.probes == (FIGURES[0], FIGURES[1], FIGURES[3])
    assert len(found.others) == 3


def test_a_window_is_as_vague_as_each_pool_for_the_time_that_it_was_simulated(running: Running) -> None:
    """Two equal pools show what they do in an hour; one that was simulated for longer swings more than it showed."""
    runs = [running.run(index) for index in range(6)]
    (pool,) = running.fleet.pools
    fleet = replace(running.fleet, pools=(pool, replace(pool, name="other", above=pool.up_to, up_to=pool.up_to + 1)))
    (seen,) = exactly({FIGURES[3]: 3.0})

    def error(times: float) -> float:
        pairs = [
            replace(
                one,
                pools=(*one.pools, replace(other.pools[0], name="other", duration=times * other.pools[0].duration)),
            )
            for one, other in zip(runs, [*runs[1:], runs[0]], strict=True)
        ]
        (row,) = predicted(fleet, pairs, (seen,), 60.0).rows
        return row.error

    assert error(100.0) / error(1.0) == pytest.approx(math.sqrt((1 + 100) / 2), rel=0.1)


@pytest.mark.evidence
def test_no_factor_is_tried_beyond_the_ends(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a third of its blocks the pool just holds its longest request; what was seen asks for fewer."""
    monkeypatch.setattr(tasks, "MOST", 200)
    monkeypatch.setattr(tasks, "REACH", 1.0)
    monkeypatch.setattr(tasks, "NEAR", math.inf)
    fleet = running.fleet
    few = replace(fleet, pools=tuple(replace(one, profile=replace(one.profile, kv_blocks=585)) for one in fleet.pools))
    lengths = tuple(replace(one, measured=400) for one in running.lengths)
    tight = replace(running, fleet=few, lengths=lengths, look=lengths)
    assert fitted(tight, exactly({FIGURES[0]: 1e4}), "KV blocks").factor.value >= tasks.GRID[0]


def test_a_constant_moves_alone(running: Running) -> None:
    (pool,) = running.fleet.pools
    for constant in CONSTANTS:
        other = moved(pool, constant, 1.5)
        assert replace(other, profile=pool.profile) == pool
    assert moved(pool, "KV blocks", 0.5).profile.kv_blocks == round(pool.profile.kv_blocks / 2)
    assert moved(pool, "arrival rate", 2.0) == pool
