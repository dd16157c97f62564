"""The disaggregated engine: its twin's, and what theory says of each part of the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.disagg import AT_ONCE as AT_ONCE_WHOLE
from fleettui.domain.disagg import Handover
from fleettui.simulation import kernel
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine, prepare
from fleettui.simulation.tandem_run import Moved, play
from tests.repeated import few
from tests.simulation.samples import engine
from tests.simulation.tandems import fleet, played_alike

HANDOVERS = (
    Handover(parts=4),
    Handover(first_token="decode"),
    Handover(short=20),
    Handover(parts=80, first_token="decode", short=40),
)
COUNT, WARM = 60_000, 5_000
AT_ONCE = 1e30


def poisson(rate: float, prompt: np.ndarray, output: np.ndarray, seed: int = 3) -> Draws:
    rng, count = np.random.default_rng(seed), len(prompt)
    return Draws(
        prompt=prompt.astype(np.int32),
        cached=np.zeros(count, np.int32),
        output=output.astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=rng.random(count),
        arrivals=np.cumsum(rng.exponential(1.0 / rate, count)),
        thinking=np.zeros(0),
    )


def moved(draws: Draws, size: float | np.ndarray = 1.0, *, speed: float = AT_ONCE) -> Moved:
    return Moved(out=speed, into=speed, latency=0.0, size=np.broadcast_to(size, draws.requests).astype(float).copy())


@pytest.mark.parametrize(
    ("seed", "closed"), few([(3, False), (4, False), (31, False), (38, False), (5, True), (38, True)], 3)
)
def test_the_engine_is_its_twin(seed: int, closed: bool) -> None:
    played_alike(*fleet(seed, closed=closed))


@pytest.mark.parametrize(
    ("handover", "seed", "closed"),
    few(
        [(HANDOVERS[at % 4], *((3, False), (31, False), (38, True))[(at + at // 4) % 3]) for at in range(12)],
        2,
        more=10,
    ),
)
def test_the_engine_is_its_twin_however_requests_are_handed_over(handover: Handover, seed: int, closed: bool) -> None:
    played_alike(*fleet(seed, closed=closed, handover=handover))


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "closed"), few([(6, False), (9, True), (5, False), (5, True), (6, True)], 2, more=3))
def test_a_first_token_that_decode_sends_waits_for_a_step_of_decodes(seed: int, closed: bool) -> None:
    """Prompts run alone, what joined gives way before its token, and prompts of one token have nothing cached then."""
    played_alike(*fleet(seed, closed=closed, handover=Handover(first_token="decode")))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", few([145, 180], 1, more=1))
def test_what_gave_way_before_its_first_token_has_it_with_its_prompt_and_not_again(seed: int) -> None:
    """One replica of nine blocks and no watermark: landed prompts that lack a block give way, and sit down again."""
    prefill, decode, draws, way = fleet(seed, closed=seed % 2 == 1, handover=Handover(first_token="decode"))
    prompt = np.minimum(draws.prompt // 16 * 16 + 1, 113).astype(np.int32)
    output = np.minimum(draws.output, 129 - prompt).astype(np.int32)
    tight = replace(draws, prompt=prompt, output=output, cached=np.minimum(draws.cached, prompt - 1))
    played_alike(
        prefill,
        replace(decode, watermark=0, blocks=9, replicas=1),
        tight,
        replace(way, size=(prompt * 20.0).astype(np.float64)),
    )


@pytest.mark.evidence
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("lockstep", [False, True])
@pytest.mark.parametrize("handover", [AT_ONCE_WHOLE, *HANDOVERS])
def test_fifty_random_fleets_are_their_twins_and_starve(handover: Handover, lockstep: bool) -> None:
    preempted = np.array(
        [played_alike(*fleet(seed, closed=seed % 2 == 1, handover=handover, lockstep=lockstep)) for seed in range(50)]
    )
    assert (preempted.sum(axis=0) > 250).all()


def test_short_prompts_stay_with_the_replica_that_decodes_them() -> None:
    """Steps of 1 s: the long prompt is prefilled, moves and decodes; the short one is served beside it, never moved."""
    prefill, decode = (engine(base=1.0, per_context=0.0, per_prompt=0.0, budget=64) for _ in range(2))
    draws = replace(poisson(1.0, np.array([40, 8]), np.array([3, 2])), arrivals=np.array([0.0, 0.5]))
    whole, apart = (
        play(prefill, decode, draws, replace(moved(draws), handover=Handover(short=short)), (0, 2)) for short in (0, 8)
    )
    assert whole.requests["first"].tolist() == pytest.approx([1.0, 2.0])
    assert apart.requests["first"].tolist() == pytest.approx(
        [1.5, 1.5]
    )  # the cache sets out after the short one's step
    assert np.isnan(apart.transfer).tolist() == [False, True]
    assert apart.tandem.transfers.links["flown"][0] == 1


def test_a_cache_on_its_way_has_a_place_that_no_short_prompt_is_given() -> None:
    """Steps of 1 s and two places: one short prompt runs, a cache is on its way for 10 s, another short one waits."""
    prefill, decode = (engine(base=1.0, per_context=0.0, per_prompt=0.0, places=2) for _ in range(2))
    draws = replace(poisson(1.0, np.array([40, 8, 8]), np.array([30, 30, 2])), arrivals=np.array([0.0, 0.5, 2.0]))
    way = replace(moved(draws), latency=10.0, handover=Handover(short=8))
    requests = play(prefill, decode, draws, way, (0, 3)).requests
    assert requests["first"].tolist() == pytest.approx([11.5, 1.5, 31.5])
    assert requests["admitted"].tolist() == pytest.approx([0.0, 0.5, 30.5])
    played_alike(prefill, decode, draws, way)


def test_fixed_prompts_over_an_endless_link_wait_as_in_m_d_1() -> None:
    """One prefill and one decode replica: E[TTFT] = S + ρS/(2(1 − ρ)), within 2 %."""
    seconds = 0.01 + 512 * (1e-5 + 1e-4)
    draws = poisson(0.7 / seconds, np.full(COUNT, 512), np.full(COUNT, 2))
    prefill = engine(budget=512, places=64)
    decode = engine(places=64, budget=512, blocks=UNLIMITED)
    played = play(prefill, decode, draws, moved(draws), (WARM, COUNT))
    ttft = played.requests["first"] - played.requests["arrival"]
    assert float(ttft.mean()) == pytest.approx(seconds * (1.0 + 0.7 / (2 * 0.3)), rel=0.02)


def test_the_decode_side_alone_is_the_colocated_engine_whose_prompts_take_no_time() -> None:
    """What is prefilled at once decodes as beside prompts for nothing.

    It waits for half a step until it is admitted, and for the one that has begun by then.
    """
    rng, count = np.random.default_rng(5), 4_000
    draws = poisson(40.0, rng.integers(16, 200, count), rng.integers(2, 60, count))
    quick = engine(base=1e-9, per_context=0.0, per_prompt=0.0, budget=4096, places=256)
    slow = engine(base=0.01, per_context=1e-6, per_prompt=0.0, budget=4096, places=256)
    played = play(quick, slow, draws, moved(draws), (0, count))
    both = prepare([slow], draws)
    kernel.run(both, 0, count, True)
    apart, together = played.tandem.decode.requests, both.requests
    spent = apart["finish"] - apart["arrival"]
    beside = together["finish"] - together["first"]
    steps = [float(own["busy"] / own["steps"]) for own in (played.tandem.decode.pools[0], both.pools[0])]
    assert steps[0] == pytest.approx(steps[1], rel=0.02)
    assert float(spent.mean()) == pytest.approx(float(beside.mean()) + 1.5 * steps[0], rel=0.02)


@pytest.mark.parametrize(("load", "count"), [(0.5, 100_000), pytest.param(0.8, 400_000, marks=pytest.mark.evidence)])
def test_transfers_share_a_link_as_processor_sharing_says(load: float, count: int) -> None:
    """M/G/1-PS: a cache of x bytes takes x/(B(1 − ρ)) on average, whatever the others' sizes; within 3 %."""
    rng = np.random.default_rng(7)
    size = rng.choice([1.0, 5.0], count, p=[0.8, 0.2])
    draws = poisson(load / float(size.mean()), np.ones(count), np.full(count, 2))
    quick = replace(engine(base=1e-9, per_context=0.0, per_prompt=0.0, budget=4096, places=4096), blocks=UNLIMITED)
    played = play(quick, quick, draws, moved(draws, size, speed=1.0), (WARM, count))
    for bytes_ in (1.0, 5.0):
        own = played.transfer[size[WARM:] == bytes_]
        assert float(own.mean()) == pytest.approx(bytes_ / (1.0 - load), rel=0.03)


@pytest.mark.parametrize(("speed", "parts"), [(1e3, 8), (1e3, 1), (1e5, 8), (2e3, 2)])
def test_a_cache_that_leaves_in_parts_is_waited_for_its_last_or_what_its_prompt_had_no_time_for(
    speed: float, parts: int
) -> None:
    """max(bytes / parts / B, bytes / B − prefill), where no other transfer and no other prompt is about."""
    draws = poisson(0.01, np.full(40, 512), np.full(40, 2))
    prefill, decode = engine(budget=512, places=64), engine(places=64, budget=512, blocks=UNLIMITED)
    way = replace(moved(draws, 200.0, speed=speed), handover=Handover(parts=parts))
    played = play(prefill, decode, draws, way, (0, 40))
    requests, alone = played.requests, 200.0 / speed
    took = played.tandem.prefill.requests["finish"] - requests["admitted"]
    seen = alone if parts == 1 else np.maximum(alone / parts, alone - took)
    assert played.transfer == pytest.approx(np.broadcast_to(seen, 40), rel=1e-6)


def test_links_are_never_used_twice_where_caches_leave_in_parts() -> None:
    """What a link moved in all is at most what it could since the first prompt began, however many share its steps."""
    rng = np.random.default_rng(8)
    draws = poisson(1e6, rng.integers(16, 400, 200), np.full(200, 2))
    prefill, decode = engine(budget=2048, places=64, blocks=UNLIMITED), engine(places=256, blocks=UNLIMITED)
    size = draws.prompt * 100.0
    way = replace(moved(draws, size, speed=3e4), handover=Handover(parts=80))
    requests = play(prefill, decode, draws, way, (0, 200)).requests
    whole = play(prefill, decode, draws, replace(way, handover=Handover()), (0, 200)).requests
    assert requests["first"].max() >= requests["admitted"].min() + size.sum() / 3e4
    assert requests["first"].max() < whole["first"].max()


def test_the_first_token_that_decode_sends_comes_a_step_after_the_cache() -> None:
    draws = poisson(0.01, np.full(40, 64), np.arange(40) % 3 + 1)
    played = play(engine(), engine(), draws, replace(moved(draws), handover=Handover(first_token="decode")), (0, 40))
    later = played.tandem.decode.requests
    took = later["first"] - played.tandem.transfers.at
    one_step = 0.01 + 64 * 1e-5
    assert took == pytest.approx(np.full(40, took[0]))
    assert float(took[0]) == pytest.approx(one_step, rel=0.2)
    assert (later["finish"] >= later["first"]).all()
    assert np.array_equal(later["finish"] == later["first"], later["output"] == 1)


def test_blocks_stay_on_the_prefill_side_until_decode_admits() -> None:
    """A decode replica with one place holds up prefill once the blocks there are full of finished prompts."""
    draws = poisson(1e6, np.full(40, 64), np.full(40, 100))
    prefill, decode = engine(blocks=20, watermark=0), replace(engine(blocks=20, watermark=0), places=1)
    held = play(prefill, decode, draws, moved(draws), (0, 40))
    free = play(replace(prefill, blocks=UNLIMITED), decode, draws, moved(draws), (0, 40))
    ends = [one.tandem.prefill.requests["finish"].max() for one in (held, free)]
    assert ends[0] > 20 * ends[1]
    assert held.requests["finish"].max() == pytest.approx(free.requests["finish"].max(), rel=0.05)


def test_requests_of_one_token_are_never_moved() -> None:
    draws = poisson(10.0, np.full(50, 64), np.ones(50))
    played = play(engine(), engine(), draws, moved(draws), (0, 50))
    assert np.array_equal(played.requests["first"], played.requests["finish"])
    assert played.tandem.transfers.links["carried"][0] == 0.0


def test_a_request_that_never_fits_is_refused() -> None:
    draws = poisson(10.0, np.full(4, 64), np.full(4, 100))
    with pytest.raises(AssertionError, match="for ever"):
        play(engine(), engine(blocks=4), draws, moved(draws), (0, 4))
    small: Engine = engine(blocks=2)
    with pytest.raises(AssertionError, match="for ever"):
        play(small, engine(), draws, moved(draws), (0, 4))
