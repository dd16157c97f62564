"""A replication of a fleet whose prefill is apart: its figures counted by hand, and what does not add up is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.domain.disagg import CacheSize, DisaggFleet, Handover, Links
from fleettui.domain.fleet import PoolProfile
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.domain.slo import Slo
from fleettui.simulation import tandem
from fleettui.simulation.draws import drawn
from fleettui.simulation.histogram import histogram
from fleettui.simulation.layout import Engine
from fleettui.simulation.lengths import Course
from fleettui.simulation.measure import utilization
from fleettui.simulation.tandem_run import CLOSE, Moved, PlayedTandem, _check_transfers, check, play, ready, replicate
from tests.optimize.samples import profile
from tests.simulation.samples import engine, pool, requests

W, H, P, FRONT, RATE = 0.01, 1e-7, 4e-5, 0.2, 12.0
ATOMS = ((1.0, 800.0, 60.0), (1.0, 300.0, 40.0), (1.0, 500.0, 1.0))
TRAFFIC = Traffic(pools=(PoolTraffic(arrival_rate=RATE, atoms=ATOMS),))
LENGTH = PoolLength(warm_up=50, measured=1_000, relaxation=1.0)
SLO = Slo(ttft=0.28, percentile=0.9, further=(("normalized.p90", 1.0),))
HARDWARE = replace(profile("fast"), peak=1e16, flops_per_token=1e11, attention_flops=1e6)


def apart(prefills: int, decodes: int, *, blocks: int = 2_000, short: int = 0) -> DisaggFleet:
    """Return a fleet whose decode side alone is behind a front end."""
    own = PoolProfile(base_step_time=W, time_per_context_token=H, time_per_prompt_token=P, kv_blocks=blocks)
    return DisaggFleet(
        prefill=replace(pool("prefill", replicas=prefills), profile=own),
        decode=replace(pool("decode", replicas=decodes), profile=replace(own, front_end=FRONT)),
        links=Links(prefill=4e9, decode=3e9, latency=0.02),
        cache=CacheSize(per_token=1e5),
        router="length",
        handover=Handover(short=short),
    )


def played(fleet: DisaggFleet) -> PlayedTandem:
    """Play what replication 3 under the root 5 is."""
    course = Course.alone(LENGTH)
    draws = drawn(TRAFFIC, 0, course.requests, seed=5, index=3)
    prefill, decode = (Engine.of(one, "paged", fleet.router, HARDWARE) for one in fleet.pools)
    return play(prefill, decode, draws, Moved.of(fleet, draws), (course.warm_up, course.end))


def run_of(fleet: DisaggFleet, index: int = 3) -> Any:
    return replicate(
        fleet, TRAFFIC, LENGTH, admission="paged", profiles=(HARDWARE, HARDWARE), slo=SLO, seed=5, index=index
    )


@pytest.mark.parametrize("short", [0, 300])
def test_figures_are_those_of_the_requests_counted_by_hand(short: int) -> None:
    fleet = apart(2, 2, short=short)
    found, own = run_of(fleet), played(fleet)
    (run,) = found.pools
    first = (own.requests["first"] - own.requests["arrival"] + FRONT).tolist()
    normalized = ((own.requests["finish"] - own.requests["arrival"] + FRONT) / own.requests["output"]).tolist()
    ttft = sorted(first)
    e2e = sorted((own.requests["finish"] - own.requests["arrival"] + FRONT).tolist())
    more = own.requests[own.requests["output"] > 1]
    tpot = sorted(((more["finish"] - more["first"]) / (more["output"] - 1)).tolist())
    count = len(ttft)
    assert (run.offered, run.completed, run.rejected, found.index) == (count, count, 0, 3)
    assert found.requests == Course.alone(LENGTH).requests
    assert run.ttft == found.ttft == ttft[-(-9 * count // 10) - 1]
    assert run.e2e == e2e[-(-9 * count // 10) - 1]
    assert run.tpot == tpot[-(-9 * len(tpot) // 10) - 1]
    assert run.wait == pytest.approx(np.mean(own.requests["admitted"] - own.requests["arrival"]))
    assert (
        run.attainment
        == found.attainment
        == np.mean([one <= 0.28 and whole <= 1.0 for one, whole in zip(first, normalized, strict=True)])
    )
    assert 0.0 < run.attainment < 1.0
    assert run.histograms == tuple(histogram(*one) for one in (("ttft", ttft), ("tpot", tpot), ("e2e", e2e)))
    assert run.further == (("normalized.p90", sorted(normalized)[-(-9 * count // 10) - 1]),)
    assert found == run_of(fleet)
    assert found.digest != run_of(fleet, index=4).digest


@pytest.mark.parametrize("short", [0, 300])
@pytest.mark.parametrize(("prefills", "decodes"), [(1, 4), (4, 1)])
def test_rates_and_loads_are_what_comes_times_what_it_takes(prefills: int, decodes: int, short: int) -> None:
    """Rates within 5 %, the work of prompts by the line of their steps within 15 %."""
    fleet = apart(prefills, decodes, short=short)
    (run,) = run_of(fleet).pools
    own = played(fleet)
    assert run.duration == own.requests["arrival"][-1] - own.requests["arrival"][0]
    assert run.duration == pytest.approx(LENGTH.measured / RATE, rel=0.1)
    assert run.throughput == pytest.approx(run.offered / run.duration, rel=0.05)
    inside = own.requests["finish"] - own.requests["first"]
    assert run.batch * decodes == pytest.approx(run.throughput * float(inside.mean()), rel=0.2)
    loads = [utilization(one, flow) for one, flow in zip(fleet.pools, own.flows, strict=True)]
    assert (loads[0] > loads[1]) == (prefills < decodes)
    assert run.utilization == max(loads)
    prompted = RATE / 3.0 * (1300.0 if short else 1600.0) / prefills
    assert loads[0] == pytest.approx(prompted / 2048 * W + prompted * P, rel=0.15)
    flops = [flow.rate("prompted") + flow.rate("decoded") for flow in own.flows]
    assert run.mfu == pytest.approx(max(flops) * HARDWARE.flops_per_token / HARDWARE.peak, rel=0.1)
    assert run.preemptions == 0


def test_what_gives_way_on_either_side_is_counted() -> None:
    fleet = apart(1, 1, blocks=160)
    (run,) = run_of(fleet).pools
    own = played(fleet)
    counted = [int(flow.end["preempted"]) - int(flow.start["preempted"]) for flow in own.flows]
    assert run.preemptions == sum(counted) > 0


def test_of_no_time_no_prompts_per_second_are_told() -> None:
    """All that is measured arrives at once, and nobody is served in no seconds."""
    draws = requests((5, 3), (5, 3), (60, 2))
    way = Moved(out=1e6, into=1e6, latency=0.0, size=np.ones(3), handover=Handover(short=8))
    found = play(engine(), engine(), draws, way, (0, 3))
    assert [flow.seconds for flow in found.flows] == [0.0, 0.0]
    assert found.beside == 0.0


def test_a_lane_has_its_part_of_its_replicas_link_and_a_prompt_its_bytes() -> None:
    fleet, draws = apart(1, 1), requests((800, 2), (300, 9))
    one = Moved.of(fleet, draws)
    assert (one.out, one.into, one.latency, one.size.tolist()) == (4e9, 3e9, 0.02, [8e7, 3e7])


def stopped() -> tuple[Any, Engine, Engine, int]:
    """Return a run that was stopped while caches are on their way, both engines, and how many requests came."""
    prefill, decode = engine(blocks=60, replicas=2), engine(blocks=40, replicas=2, places=4)
    rng = np.random.default_rng(2)
    lengths = [(int(prompt), int(output)) for prompt, output in rng.integers(2, 60, (120, 2))]
    draws = requests(*lengths, arrivals=np.cumsum(rng.exponential(0.04, 120)).tolist())
    found = ready(
        prefill, decode, draws, Moved(out=4e4, into=3e4, latency=0.05, size=20.0 * draws.prompt.astype(np.float64))
    )
    _, _, arrived = tandem.run(found, 0, 50, True)
    check(found, prefill, decode, arrived)
    links = found.transfers.links[0]
    assert links["moving"] > 0
    assert links["flown"] > links["landed"] > 1
    return found, prefill, decode, arrived


def carry_more(found: Any) -> None:
    found.transfers.links["carried"] += 1.0


def carry_less(found: Any) -> None:
    found.transfers.links["carried"] -= 1.0


def round_much(found: Any) -> None:
    found.transfers.links["rounded"] += 1.0
    found.transfers.links["carried"] -= 1.0


def land_another(found: Any) -> None:
    found.transfers.flown[0] = found.transfers.flown[1]


def move_one_that_landed(found: Any) -> None:
    links = found.transfers.links
    found.transfers.moving[links["moving"][0]] = found.transfers.flown[0]
    links["moving"] += 1


def keep_blocks_at_another(found: Any) -> None:
    replicas = found.prefill.replicas
    replicas["kept"][0] += 1
    replicas["free"][0] -= 1


def land_too_soon(found: Any) -> None:
    found.transfers.at[found.transfers.flown[0]] = found.decode.requests["admitted"][found.transfers.flown[0]] + 0.05


def free_a_block_of_prefill(found: Any) -> None:
    found.prefill.replicas["free"][1] += 1


def free_a_block_of_decode(found: Any) -> None:
    found.decode.replicas["free"][1] += 1


def lose_one_between(found: Any) -> None:
    passed = np.flatnonzero(np.isfinite(found.decode.requests["finish"]))[0]
    found.prefill.requests["finish"][passed] += 1e-3
    found.prefill.pools["presence"] += 1e-3


def answer_before_the_admission(found: Any) -> None:
    requests = found.prefill.requests
    one = np.flatnonzero(np.isfinite(requests["finish"]))[0]
    requests["first"][one] = requests["admitted"][one] - 1e-3


def end_before_the_first_token(found: Any) -> None:
    requests = found.decode.requests
    one = np.flatnonzero(np.isfinite(requests["finish"]))[0]
    requests["first"][one] = requests["finish"][one] + 1e-3


SPOILED: dict[Callable[[Any], None], str] = {
    carry_more: "bytes sent, .* moved",
    carry_less: "bytes sent, .* moved",
    round_much: "bytes were not moved",
    land_another: "a transfer was lost",
    move_one_that_landed: "a cache landed that is under way",
    keep_blocks_at_another: "blocks are kept for no cache",
    land_too_soon: "a cache moved faster than its link",
    answer_before_the_admission: "served out of order",
    end_before_the_first_token: "served out of order",
    free_a_block_of_prefill: "blocks were lost",
    free_a_block_of_decode: "blocks were lost",
    lose_one_between: "passed on before its prefill",
}


@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_a_run_is_held_to_its_requests_its_blocks_and_its_bytes(spoil: Callable[[Any], None]) -> None:
    found, prefill, decode, arrived = stopped()
    spoil(found)
    with pytest.raises(AssertionError, match=SPOILED[spoil]):
        check(found, prefill, decode, arrived)


def test_a_cache_may_seem_a_millionth_and_a_nanosecond_faster_than_its_link_and_no_more() -> None:
    """20 bytes of each prompt token, over the slower link of 30 kB/s and its latency of 50 ms."""
    found = stopped()[0]
    one = found.transfers.flown[0]
    least = (20.0 * found.prefill.requests["prompt"][one] / 3e4 + 0.05) * (1.0 - CLOSE) - 1e-9
    found.decode.requests["admitted"][one], found.transfers.at[one] = 0.0, least
    _check_transfers(found)
    found.transfers.at[one] = np.nextafter(least, 0.0)
    with pytest.raises(AssertionError, match="a cache moved faster than its link"):
        _check_transfers(found)


def test_a_request_that_just_fits_either_side_is_served_and_one_token_more_is_refused() -> None:
    """Four blocks hold 64 tokens: of the prompt before, of all but the last token put out behind."""
    way = Moved(out=1e6, into=1e6, latency=0.0, size=np.ones(2))

    def finish(prompt: int, output: int, prefill: int, decode: int) -> float:
        draws = requests((prompt, output), (5, 3), arrivals=[0.0, 9.0])
        return float(play(engine(blocks=prefill), engine(blocks=decode), draws, way, (0, 2)).requests["finish"].max())

    assert finish(64, 2, 4, 5) < np.inf
    assert finish(40, 25, 5, 4) < np.inf
    for prompt, output, prefill, decode in ((65, 2, 4, 9), (40, 26, 9, 4)):
        with pytest.raises(AssertionError, match="would wait for ever"):
            finish(prompt, output, prefill, decode)
