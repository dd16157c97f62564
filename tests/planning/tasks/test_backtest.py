"""A fleet whose one constant is slower than its profile says: the task finds which, and by how much."""

import math
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.backtest import CONSTANTS, Band, Constant, Figure, Fit, Row, Seen
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import decode, from_plain, to_plain
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning.prove import scene_payload
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import backtest as tasks
from fleettui.planning.tasks import find
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


def task(name: str, payload: dict[str, Any]) -> dict[str, Any]:
    return find(name)(payload, Context())


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the tasks on two replicas under 20 requests/s are given."""
    asked = question(trace(tmp_path_factory.mktemp("trace")))
    found = task("simulate", {"sketch": to_plain(sketch(2)), "question": to_plain(asked)})
    answer, hardware = from_plain(Answer, found["answer"]), from_plain(tuple[Profile, ...], found["profiles"])
    assert answer.answer is not None
    scene = scene_payload(
        from_plain(Question, found["scenario"]["question"]),
        from_plain(Workload, found["workload"]),
        answer.demand,
        "x",
        hardware,
    )
    stage = task("verification-stage", {**scene, "fleet": to_plain(answer.answer.fleet), "replicas": [2]})
    lengths = [replace(one, measured=10_000) for one in from_plain(tuple[PoolLength, ...], stage["lengths"])]
    parts = {"lengths": to_plain(lengths), "look": stage["look"], "seed": 1}
    return {**scene, "fleet": to_plain(answer.answer.fleet), **parts}


def fleet_of(bench: dict[str, Any]) -> Fleet:
    return from_plain(Fleet, bench["fleet"])


def replicated(bench: dict[str, Any], index: int, **changes: Any) -> Replication:
    return decode(Replication, task("verification-replicate", {**bench, "index": index, **changes})["replication"])


def production(bench: dict[str, Any], constant: Constant, factor: float) -> dict[Figure, float]:
    """Return what a fleet shows whose constant is hidden, in a long run on draws of its own."""
    fleet = fleet_of(bench)
    hidden = replace(fleet, pools=tuple(moved(pool, constant, factor) for pool in fleet.pools))
    longer = [replace(one, measured=72_000) for one in from_plain(tuple[PoolLength, ...], bench["lengths"])]
    changes: dict[str, Any] = {"fleet": to_plain(hidden), "seed": 99, "lengths": to_plain(longer)}
    if constant == "arrival rate":
        changes |= {"rate": bench["rate"] * factor, "scene": "faster"}
    run = replicated(bench, 0, **changes)
    values = {one: figure(run, hidden, one) for one in FIGURES}
    assert all(values.values())
    return {one: value for one, value in values.items() if value}


def exactly(seen: dict[Figure, float]) -> tuple[Seen, ...]:
    return tuple(
        Seen(figure=one, text="", value=value, low=value * 0.9999, high=value * 1.0001) for one, value in seen.items()
    )


def predicted(bench: dict[str, Any], seen: tuple[Seen, ...]) -> dict[str, Any]:
    runs = [replicated(bench, index) for index in range(4)]
    asked = {"fleet": bench["fleet"], "replications": to_plain(runs), "seen": to_plain(seen), "window": HOUR}
    return task("backtest-predict", {**asked, "probes": to_plain((Figure(metric="e2e", share=0.9),))})


def fitted(bench: dict[str, Any], seen: tuple[Seen, ...], constant: Constant) -> Fit:
    found = predicted(bench, seen)
    probes = to_plain((Figure(metric="e2e", share=0.9),))
    payload = {**bench, "rows": found["rows"], "others": found["others"], "probes": probes, "constant": constant}
    return from_plain(Fit, task("backtest-fit", payload)["fit"])


@pytest.mark.parametrize(
    ("hidden", "factor"),
    few([("all step times", 0.8), ("arrival rate", 1.2), ("base step time", 1.2), ("time per prompt token", 1.2)], 2),
)
def test_the_hidden_constant_is_found_with_its_size(bench: dict[str, Any], hidden: Constant, factor: float) -> None:
    seen = exactly(production(bench, hidden, factor))
    rivals: dict[Constant, Constant] = {"all step times": "base step time"}
    fits = {one: fitted(bench, seen, one) for one in (hidden, rivals.get(hidden, "all step times"))}
    assert min(fits, key=lambda one: fits[one].misfit) == hidden
    assert fits[hidden].factor.value == pytest.approx(factor, rel=0.05)
    assert fits[hidden].factor.low < factor * 1.02
    assert fits[hidden].factor.high > factor * 0.98


def test_what_runs_as_predicted_needs_no_factor(bench: dict[str, Any]) -> None:
    seen = exactly(production(bench, "base step time", 1.0))
    rows = from_plain(tuple[Row, ...], predicted(bench, seen)["rows"])
    assert all(abs(row.gap) < 4 * row.error for row in rows)
    assert fitted(bench, seen, "all step times").factor.value == pytest.approx(1.0, abs=0.02)


def test_a_seen_value_is_as_vague_as_its_digits_and_as_its_window(bench: dict[str, Any]) -> None:
    exact = exactly({FIGURES[0]: 0.2})
    vague = (replace(exact[0], low=0.15, high=0.25),)

    def seen(one: tuple[Seen, ...], window: float) -> Band:
        runs = [replicated(bench, index) for index in range(4)]
        asked = {"fleet": bench["fleet"], "replications": to_plain(runs), "seen": to_plain(one), "probes": []}
        (row,) = from_plain(tuple[Row, ...], task("backtest-predict", {**asked, "window": window})["rows"])
        return row.seen

    hour, day, wide = seen(exact, HOUR), seen(exact, 24 * HOUR), seen(vague, HOUR)
    assert hour.low < day.low < 0.2 < day.high < hour.high
    assert wide.low < hour.low < hour.high < wide.high


def test_fewer_blocks_are_never_tried_than_the_longest_request_takes(bench: dict[str, Any]) -> None:
    fleet = fleet_of(bench)
    few = replace(fleet, pools=tuple(replace(one, profile=replace(one.profile, kv_blocks=400)) for one in fleet.pools))
    tight = {**bench, "fleet": to_plain(few)}
    seen = exactly(production(tight, "base step time", 1.0))
    found = fitted(tight, seen, "KV blocks")  # a request of 3,016 tokens takes 189 blocks: a third of 400 is too few
    assert found.factor.value > 189 / 400


def test_a_figure_that_no_request_shows_is_refused(bench: dict[str, Any]) -> None:
    run = replicated(bench, 0)
    bare = replace(run, pools=tuple(replace(pool, histograms=()) for pool in run.pools))
    seen = exactly({FIGURES[2]: 0.03})
    asked = {"fleet": bench["fleet"], "replications": to_plain([bare]), "seen": to_plain(seen), "window": HOUR}
    with pytest.raises(InputError, match="tpot"):
        task("backtest-predict", {**asked, "probes": []})


def test_figures_that_nobody_asked_for_and_no_request_shows_are_left_out(bench: dict[str, Any]) -> None:
    runs = [replicated(bench, index) for index in range(2)]
    short = [
        replace(run, pools=tuple(replace(one, histograms=one.histograms[:1]) for one in run.pools)) for run in runs
    ]  # answers of one token have no TPOT
    asked = {"fleet": bench["fleet"], "replications": to_plain(short), "seen": [], "window": HOUR}
    found = task("backtest-predict", {**asked, "probes": to_plain(FIGURES)})
    assert from_plain(tuple[Figure, ...], found["probes"]) == (FIGURES[0], FIGURES[1], FIGURES[3])
    assert len(found["others"]) == 3


def test_a_window_is_as_vague_as_each_pool_for_the_time_that_it_was_simulated(bench: dict[str, Any]) -> None:
    """Two equal pools show what they do in an hour; one that was simulated for longer swings more than it showed."""
    runs = [replicated(bench, index) for index in range(6)]
    (pool,) = fleet_of(bench).pools
    fleet = replace(fleet_of(bench), pools=(pool, replace(pool, name="other", above=pool.up_to, up_to=pool.up_to + 1)))
    (seen,) = exactly({FIGURES[3]: 3.0})

    def error(times: float) -> float:
        pairs = [
            replace(
                one,
                pools=(*one.pools, replace(other.pools[0], name="other", duration=times * other.pools[0].duration)),
            )
            for one, other in zip(runs, [*runs[1:], runs[0]], strict=True)
        ]
        asked = {"fleet": to_plain(fleet), "replications": to_plain(pairs), "seen": to_plain((seen,)), "probes": []}
        (row,) = from_plain(tuple[Row, ...], task("backtest-predict", {**asked, "window": 60.0})["rows"])
        return row.error

    assert error(100.0) / error(1.0) == pytest.approx(math.sqrt((1 + 100) / 2), rel=0.1)


def test_no_factor_is_tried_beyond_the_ends(bench: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """At a third of its blocks the pool just holds its longest request; what was seen asks for fewer."""
    monkeypatch.setattr(tasks, "MOST", 200)
    monkeypatch.setattr(tasks, "REACH", 1.0)
    monkeypatch.setattr(tasks, "NEAR", math.inf)
    fleet = fleet_of(bench)
    few = replace(fleet, pools=tuple(replace(one, profile=replace(one.profile, kv_blocks=585)) for one in fleet.pools))
    lengths = [replace(one, measured=400) for one in from_plain(tuple[PoolLength, ...], bench["lengths"])]
    tight = {**bench, "fleet": to_plain(few), "lengths": to_plain(lengths), "look": to_plain(lengths)}
    assert fitted(tight, exactly({FIGURES[0]: 1e4}), "KV blocks").factor.value >= tasks.GRID[0]


def test_a_constant_moves_alone(bench: dict[str, Any]) -> None:
    (pool,) = fleet_of(bench).pools
    for constant in CONSTANTS:
        other = moved(pool, constant, 1.5)
        assert replace(other, profile=pool.profile) == pool
    assert moved(pool, "KV blocks", 0.5).profile.kv_blocks == round(pool.profile.kv_blocks / 2)
    assert moved(pool, "arrival rate", 2.0) == pool
