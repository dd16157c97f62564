"""Requests of a trace in its order: what they share at its own rate and at others, and what caches find of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.prefixes import PrefixRecord
from fleettui.simulation.layout import UNLIMITED
from fleettui.simulation.prefix_draws import InOrder, in_order
from fleettui.workloads.shared_prefixes import reusable
from tests.simulation.samples import engine, finished, requests

EVERY = (0, 10**6)


def conversations(count: int = 40, seed: int = 3) -> PrefixRecord:
    """Return a made-up trace: conversations that grow by turns, all with one block in common."""
    rng = np.random.default_rng(seed)
    rows, fresh = list[tuple[int, ...]](), 1
    turns: dict[int, list[int]] = {}
    for _ in range(6 * count):
        own = turns.setdefault(int(rng.integers(count)), [0])
        own += [fresh, fresh + 1]
        fresh += 2
        rows.append((16 * len(own) + int(rng.integers(16)), int(rng.integers(1, 9)), *[n for k in own for n in (k, 1)]))
    return PrefixRecord(block=16, rows=tuple(rows), rate=4.0)


def drawn(record: PrefixRecord, rate: float, count: int, seed: int = 1) -> InOrder:
    return in_order(record, EVERY, rate=rate, requests=count, draws=np.random.default_rng(seed))


def listed(found: InOrder, index: int) -> list[int]:
    return found.prefixes.blocks(index)


def test_a_longer_draw_begins_with_the_shorter() -> None:
    record = conversations()
    short, long = drawn(record, 13.0, 50), drawn(record, 13.0, 500)
    assert short.prompt.tolist() == long.prompt[:50].tolist()
    same = [listed(short, index) == listed(long, index) for index in range(50)]
    assert all(same)


def test_a_trace_without_times_is_one_copy_at_any_rate() -> None:
    record = conversations()
    timeless, own = drawn(replace(record, rate=None), 40.0, 400), drawn(record, 4.0, 400)
    assert timeless.prompt.tolist() == own.prompt.tolist()
    assert [listed(timeless, index) for index in range(400)] == [listed(own, index) for index in range(400)]


def test_copies_share_only_what_every_request_begins_with() -> None:
    record = conversations()
    found = drawn(record, 40.0, 400)  # ten copies
    firsts = {listed(found, index)[0] for index in range(400)}
    assert firsts == {0}
    seen = [set(listed(found, index)) for index in range(400)]
    rows = {tuple(sorted(one)) for one in seen}
    assert len(rows) == 400, "no request comes twice"


def test_a_trace_that_begins_anew_shares_only_what_every_request_begins_with() -> None:
    """It may be in its midst when the run begins."""
    record = conversations(6)
    prompts = [row[0] for row in record.rows]
    count = len(prompts)
    found = drawn(record, 4.0, 3 * count)
    begin = next(at for at in range(count) if found.prompt[at : at + count].tolist() == prompts)
    first, second = (
        {block for index in range(at, at + count) for block in listed(found, index)} for at in (begin, begin + count)
    )
    assert len(first) == len(second) > 1
    assert first & second == {0}


def test_a_pool_has_the_requests_of_its_lengths_in_order() -> None:
    record = conversations()
    part = in_order(record, (60, 120), rate=4.0, requests=300, draws=np.random.default_rng(0))
    totals = part.prompt + part.output
    assert totals.min() > 60
    assert totals.max() <= 120


def hit(record: PrefixRecord, blocks: int, replicas: int = 1) -> float:
    """Return the share of prompt tokens that replicas find of one round of a trace, begun at its beginning."""
    count = len(record.rows)
    numbers = range(200)
    found = next(
        one
        for seed in numbers
        if (one := drawn(record, 1.0, count, seed)).prompt.tolist() == [row[0] for row in record.rows]
    )
    work = requests(
        *zip(found.prompt.tolist(), found.output.tolist(), strict=True), arrivals=(np.arange(count) * 0.4).tolist()
    )
    server = engine(blocks=blocks, budget=4000, places=64, replicas=replicas)
    state = finished([server], replace(work, prefixes=found.prefixes))
    return float(state.pools["hit"].sum() / state.pools["asked"].sum())


def test_unlimited_memory_finds_the_traces_own_bound_and_real_memory_less() -> None:
    record = conversations(6)
    bound = reusable(record)
    assert hit(record, UNLIMITED) == pytest.approx(bound, abs=1e-12)
    assert 0.05 < hit(record, 36) < bound - 0.05
    assert hit(record, UNLIMITED, replicas=4) < bound - 0.05, "each replica has seen a part of it"
