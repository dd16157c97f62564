"""A pool through a window: what it counts is what a plain count of its requests gives, and nothing is lost."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from fleettui.domain.slo import Slo
from fleettui.domain.stretch import SPAN, Burst, Change, PoolStretch
from fleettui.simulation import stretch
from fleettui.simulation.curve import BATCH, PROMPT, Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.histogram import histogram
from fleettui.simulation.layout import Engine
from fleettui.simulation.measure import Latencies
from fleettui.simulation.stretch import Played
from tests.simulation.samples import engine

WARM, BURST = 10.0, Burst(factor=3.0, seconds=20.0, start=30.0, end=100.0)
SLO = Slo(ttft=0.5)


def traffic(rate: float = 8.0) -> Draws:
    draw = np.random.default_rng(7)
    times, moment = [], 0.0
    while moment < WARM + BURST.end + 5.0:
        inside = BURST.start <= moment - WARM < BURST.over
        moment += draw.exponential(1.0 / (rate * (BURST.factor if inside else 1.0)))
        times.append(moment)
    count = len(times)
    return Draws(
        prompt=draw.integers(1, 80, count).astype(np.int32),
        cached=np.zeros(count, np.int32),
        output=draw.integers(1, 60, count).astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=draw.random(count),
        arrivals=np.array(times),
        thinking=np.zeros(0),
    )


def played(*changes: Change) -> ElasticPool:
    return stretch.play(engine(blocks=40), traffic(), 2, changes)


def seen(pool: ElasticPool, burst: Burst = BURST) -> PoolStretch:
    (found,) = stretch.seen([Played(name="all", pool=pool, burst=burst, warm=WARM)], slo=SLO, step=5.0)
    return found


@pytest.mark.parametrize("lost", [False, True])
def test_what_is_seen_is_what_counting_by_hand_gives(lost: bool) -> None:
    away = Change(moment=WARM + 40.0, serving=1, lost=lost)
    pool = played(away, replace(away, moment=WARM + 70.0, serving=2))
    found = seen(pool)
    requests = pool.state.requests
    came = requests["arrival"] - WARM
    assert (pool.lost > 0) == lost
    assert found.lost == pool.lost
    inside = (came >= 0.0) & (came < BURST.end)
    assert sum(one.offered for one in found.phases) == sum(one.offered for one in found.bins) == inside.sum()
    assert found.recovered is not None
    edges = (0.0, BURST.start, BURST.over, BURST.over + found.recovered, BURST.end)
    gone = np.zeros(len(came), bool)
    for _, those in pool.losses:
        gone[those] = True
    counted = np.where(gone, away.moment - WARM, came)
    for phase, (start, end) in zip(found.phases, pairwise(edges), strict=True):
        own = (counted >= start) & (counted < end)
        seconds = (requests["first"] - requests["arrival"])[own & np.isfinite(requests["finish"])]
        assert (phase.seconds, phase.offered) == (end - start, own.sum())
        assert phase.ttft == histogram("ttft", seconds)
    met = np.isfinite(requests["finish"]) & Latencies.of(requests).kept(SLO)
    assert sum(one.met for one in found.bins) == sum(one.met for one in found.phases) == (inside & met).sum()
    left = np.where(gone, away.moment, requests["finish"]) - WARM
    placed = np.where(np.isfinite(requests["admitted"]), requests["admitted"] - WARM, left)
    waiting = [int(((came <= at) & (placed > at)).sum()) for at in came]
    assert found.waiting == max(w for w, at in zip(waiting, came, strict=True) if BURST.start <= at < BURST.end)
    for place, one in enumerate(found.bins):
        own = (came >= 5.0 * place) & (came < 5.0 * place + 5.0)
        assert one.waiting == max(w for w, here in zip(waiting, own, strict=True) if here)
        assert one.offered == own.sum()
    before = (np.clip(left, 0.0, BURST.start) - np.clip(came, 0.0, BURST.start)).sum() / BURST.start
    for after in np.append(np.linspace(0.0, found.recovered, 200, endpoint=False), found.recovered):
        present = ((came <= BURST.over + after) & (left > BURST.over + after)).sum()
        assert (present <= before) == (after == found.recovered)


def test_who_is_lost_when_the_window_begins_counts_in_it_and_not_in_the_time_before() -> None:
    """Found: 23 of 36,000 requests not served and "100.00% within every limit meanwhile"."""
    away = Change(moment=WARM + BURST.start, serving=1, lost=True)
    pool = played(away, replace(away, moment=WARM + BURST.over, serving=2))
    before, inside, *_ = seen(pool).phases
    whole = seen(played()).phases
    assert pool.lost > 0
    assert before.offered == whole[0].offered - pool.lost
    assert inside.offered == whole[1].offered + pool.lost
    assert inside.offered - inside.met >= pool.lost


def test_a_backlog_that_does_not_clear_in_the_run_has_no_recovery() -> None:
    short = replace(BURST, end=BURST.over + 1.0)
    assert seen(played(), short).recovered is None


def test_the_phases_are_the_fleets_up_to_when_its_last_pool_has_recovered() -> None:
    pools = {"quick": stretch.play(engine(blocks=40), traffic(4.0), 2, ()), "slow": played()}
    alone = [seen(pool) for pool in pools.values()]
    runs = [Played(name=name, pool=pool, burst=BURST, warm=WARM) for name, pool in pools.items()]
    quick, slow = stretch.seen(runs, slo=SLO, step=5.0)
    assert (quick.recovered, slow.recovered) == (alone[0].recovered, alone[1].recovered)
    assert quick.recovered is not None
    assert slow.recovered is not None
    assert quick.recovered < slow.recovered
    assert slow.phases == alone[1].phases
    assert [one.seconds for one in quick.phases] == [one.seconds for one in slow.phases]
    assert sum(one.seconds for one in quick.phases) == pytest.approx(BURST.end)
    for way in ("offered", "met"):
        assert sum(getattr(one, way) for one in quick.phases) == sum(getattr(one, way) for one in alone[0].phases)


def test_a_backlog_clears_as_a_fluid_does() -> None:
    """One at a time, each for as long: three times the rate at ρ = 0.5 clears after (1.5 - 1)/(1 - 0.5) windows."""
    one = engine(places=1, base=0.05, per_context=0.0, per_prompt=0.0)
    times = np.concatenate([np.arange(0.0, 40.0, 0.1), np.arange(40.0, 60.0, 0.1 / 3), np.arange(60.0, 120.0, 0.1)])
    count = len(times)
    ones = np.ones(count, np.int32)
    draws = Draws(
        prompt=ones,
        cached=0 * ones,
        output=ones,
        pool=0 * ones,
        tie=np.zeros(count),
        arrivals=times,
        thinking=np.zeros(0),
    )
    pool = stretch.play(one, draws, 1, ())
    found = seen(pool)
    assert found.recovered == pytest.approx(20.0, abs=0.2)
    assert found.waiting == pytest.approx(20.0 * (30.0 - 20.0), abs=2)


def curved(times: float = 1.0, *, together: int = 1) -> Engine:
    """Return an engine whose steps are by a curve, so many times as long, of so many lanes that step together."""
    own = engine(blocks=40, replicas=together, together=together)
    linear = np.arange(own.budget + 1, dtype=np.float64) * (times * own.per_prompt)
    batches = np.zeros(own.places + 1, BATCH)
    batches["base"], batches["per_context"] = times * own.base, times * own.per_context
    rows = [(0.0, 0.0, times * 1e-6, 0), (1e6, times, times * 1e-6, 0), (np.inf, 0.0, 0.0, 0)]
    prompts = np.array(rows, PROMPT)
    return replace(
        own,
        curve=Curve(
            linear=linear,
            batches=batches,
            prompts=prompts,
            floor=0.0,
            least=times * own.base,
            extra=0.0,
            shared=np.arange(together * own.budget + 1, dtype=np.float64) * (times * own.per_prompt * (together > 1)),
            lanes=together,
        ),
    )


@pytest.mark.thorough
def test_steps_take_other_times_from_a_moment_on_and_nothing_before_it_does() -> None:
    fast, slow, draws = curved(), curved(1.7), traffic()

    def finish(own: Engine, *changes: Change, slower: Curve | None = None) -> np.ndarray:
        found: np.ndarray = stretch.play(own, draws, 2, changes, slower).state.requests["finish"]
        return found

    plain = finish(fast)
    now, over = (Change(moment=at, serving=2, slower=slow) for at, slow in ((40.0, True), (60.0, False)))
    assert np.allclose(finish(fast, now, over, slower=fast.curve), plain, rtol=1e-12)
    assert (finish(fast, replace(now, moment=0.0), slower=slow.curve) == finish(slow)).all()
    lanes, longer = curved(together=2), curved(1.7, together=2)
    assert (finish(lanes, replace(now, moment=0.0), slower=longer.curve) == finish(longer)).all()
    window = finish(fast, now, over, slower=slow.curve)
    assert (window[plain < 40.0] == plain[plain < 40.0]).all()
    inside = (plain > 41.0) & (plain < 60.0)
    assert (window[inside] > plain[inside]).mean() > 0.95


@pytest.mark.parametrize(
    ("changes", "most"),
    [
        ((), 2),
        ([(3, False)], 3),
        ([(1, False), (3, False)], 4),
        ([(1, True), (2, True)], 2),
        ([(4, False), (2, False), (1, True), (3, False)], 6),
    ],
)
def test_there_is_room_for_those_that_still_finish_what_they_have_and_for_no_more(
    changes: list[tuple[int, bool]], most: int
) -> None:
    """Who drains keeps its place while it works; who is lost does not."""
    ordered = [
        Change(moment=WARM + 0.01 * place, serving=serving, lost=lost) for place, (serving, lost) in enumerate(changes)
    ]
    pool = played(*ordered)
    assert pool.capacity == most
    assert pool.serving == (changes[-1][0] if changes else 2)
    served = int(np.isfinite(pool.state.requests["finish"]).sum())
    assert served == len(pool.state.requests) - pool.lost


def test_spans_are_whole_and_what_comes_after_the_last_counts_in_it() -> None:
    arrival = np.array([0.0, 0.9, 1.1, 2.2, 2.5, 3.3]) * SPAN
    met = np.array([True, False, True, True, False, True])
    assert stretch._spans(arrival, met, 3.4 * SPAN) == ((2, 1), (1, 1), (3, 2))
    assert stretch._spans(arrival[:2], met[:2], 0.95 * SPAN) == ((2, 1),)
