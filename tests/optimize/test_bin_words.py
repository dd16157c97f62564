"""How much bins pad: by the formula and as the engine's twin steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.graph_bins import bins, padded
from fleettui.optimize.bin_words import bin_words, inflation
from fleettui.simulation.twin import Replica
from fleettui.simulation.twin_request import Request
from tests.optimize.samples import profile
from tests.repeated import few
from tests.simulation.samples import engine
from tests.store.samples import candidate

LADDERS = ("1,2,4,8-256/8", "1,2,4,8,16,32,64,128,256")


def test_a_ladder_of_every_count_pads_nothing() -> None:
    assert inflation(30.0, bins("1-512/1")) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("ladder", LADDERS)
@pytest.mark.parametrize("batch", [0.3, 3.0, 20.0, 90.0])
def test_more_is_padded_where_bins_are_apart(ladder: str, batch: float) -> None:
    found = inflation(batch, bins(ladder))
    assert 0.0 <= found < 1.0
    assert inflation(batch, bins(LADDERS[0])) <= inflation(batch, bins(LADDERS[1])) + 1e-12


@pytest.mark.thorough
@pytest.mark.parametrize("ladder", few(LADDERS, 1))
def test_the_formula_is_what_steps_of_an_open_loop_pad(ladder: str) -> None:
    """Requests of many steps, short prompts and steps that hardly grow: the decodes at once are Poisson's."""
    sizes, rng = bins(ladder), np.random.default_rng(3)
    one = Replica(engine(places=200, budget=4096, per_context=0.0, per_prompt=0.0))
    arrivals = np.cumsum(rng.exponential(1 / 12.0, 1500))
    coming = [Request(index, float(at), 8, 0, 200, 0, 0.0) for index, at in enumerate(arrivals)]
    real = slots = place = 0
    now = 0.0
    while place < len(coming):
        while place < len(coming) and coming[place].arrival <= now:
            one.wait(coming[place])
            place += 1
        one.start(now)
        if one.wake is None:
            now = coming[place].arrival
            continue
        if now > 30.0 and one.decoding and not one.prefilling:
            real += len(one.decoding)
            slots += padded(len(one.decoding), sizes)
        now = one.wake
        one.end()
    batch = 12.0 * 199 * 0.01
    assert slots / real - 1.0 == pytest.approx(inflation(batch, sizes), abs=0.03)


def test_pools_whose_steps_are_padded_are_told() -> None:
    best = candidate()
    plain = [profile() for _ in best.fleet.pools]
    assert bin_words(best, plain) == ()
    told = bin_words(best, [replace(one, graph_bins=(1, 2, 4, 8)) for one in plain])
    assert [one.partition(":")[0] for one in told] == [f"pool {pool.name}" for pool in best.fleet.pools]
    assert "4 graph bins up to 8 tokens pad its decodes by" in told[0]
