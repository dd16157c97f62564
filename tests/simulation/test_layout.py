"""What a pool becomes as an engine, and a run's arrays at its start."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from fleettui.domain.fleet import Pool, PoolProfile
from fleettui.routing.view import Seen
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine, be_new, prepare
from tests.simulation.samples import engine, requests

POOL = Pool(
    name="all",
    gpu="made-up",
    model="made-up",
    dtype="bf16",
    tp=2,
    replicas=3,
    context=4096,
    concurrency=40,
    max_num_seqs=128,
    token_budget=512,
    above=0,
    up_to=4096,
    profile=PoolProfile(base_step_time=0.01, time_per_context_token=1e-7, time_per_prompt_token=2e-5, kv_blocks=10_049),
)


def short() -> Draws:
    return requests((10, 5), (20, 6), (30, 7), cached=[0, 5, 0], pool=[0, 1, 1], arrivals=[0.5, 1.5, 2.5])


def test_paged_admits_by_blocks_up_to_the_engines_own_limit() -> None:
    found = Engine.of(POOL, "paged")
    assert (found.places, found.blocks, found.watermark) == (128, 10_049, 200)
    assert (found.base, found.per_context, found.per_prompt) == (0.01, 1e-7, 2e-5)
    assert (found.budget, found.replicas) == (512, 3)
    assert found.longest() == (10_049 - 200) * 16


def test_reserved_admits_by_places_alone() -> None:
    found = Engine.of(POOL, "reserved")
    assert (found.places, found.blocks, found.watermark) == (40, UNLIMITED, 0)


@pytest.mark.parametrize("admission", ["paged", "reserved"])
def test_every_running_sequence_has_a_token_in_the_budget(admission: str) -> None:
    assert Engine.of(replace(POOL, token_budget=16), admission).places == 16


def test_at_its_start_everything_is_idle_and_nothing_has_arrived() -> None:
    state = prepare([engine(replicas=2, blocks=70, places=3), engine(replicas=4, places=9, budget=5)], short())
    assert state.pools["start"].tolist() == [0, 2]
    assert state.pools["levels"].tolist() == [0, 5]
    assert state.pools["budget"].tolist() == [64, 5]
    assert state.ends.tolist() == [2] * 5 + [4] * 5
    assert state.replicas["pool"].tolist() == [0, 0, 1, 1, 1, 1]
    assert state.replicas["free"].tolist() == [70] * 2 + [UNLIMITED] * 4
    assert state.order.tolist() == state.rank.tolist() == list(range(6))
    assert state.spot.tolist() == [-1] * 6
    for name in ("load", "running", "decodes", "context", "keys", "vacant"):
        assert not state.replicas[name].any(), name
    for name in ("head", "tail", "last", "partial"):
        assert (state.replicas[name] == -1).all(), name
    for name in ("arrived", "completed", "present", "busy", "least"):
        assert not state.pools[name].any(), name


def test_a_pool_is_full_at_the_load_of_its_engine_or_with_all_places_taken() -> None:
    """A line of requests is told from loads by it: of four places two may be what a replica holds on average."""
    state = prepare([engine(places=4), replace(engine(places=4), full=2)], short())
    assert state.pools["full"].tolist() == [4, 2]


def test_the_unused_slots_hang_together() -> None:
    state = prepare([engine(replicas=2, places=3)], short())
    assert state.slots["after"].tolist() == [[1, 2, -1]] * 2
    assert (state.slots["request"] == -1).all()


def test_requests_are_those_that_were_drawn() -> None:
    state = prepare([engine(), engine()], short())
    assert state.requests["arrival"].tolist() == [0.5, 1.5, 2.5]
    for name, values in {"prompt": [10, 20, 30], "cached": [0, 5, 0], "output": [5, 6, 7], "pool": [0, 1, 1]}.items():
        assert state.requests[name].tolist() == values
    assert not state.requests["generated"].any()
    assert (state.requests["next"] == -1).all()
    for name in ("admitted", "first", "finish"):
        assert np.isnan(state.requests[name]).all()


def test_records_of_a_run_that_is_over_are_written_over() -> None:
    fresh = prepare([engine(), engine()], short()).requests
    used = np.frombuffer(bytearray(b"\x01" * fresh.nbytes), fresh.dtype)
    assert prepare([engine(), engine()], short(), used).requests is used
    assert used.tobytes() == fresh.tobytes()


def test_a_closed_loop_has_all_its_clients_asking_at_once() -> None:
    state = prepare([engine()], requests(*[(1, 1)] * 9, clients=4, thinking=range(9)))
    assert state.clients.tolist() == [0.0] * 4
    assert state.thinking.tolist() == list(range(9))
    assert len(state.ends) == 4 + 2
    assert not len(prepare([engine()], short()).clients)


def test_a_router_knows_nothing_of_a_replica_that_is_new() -> None:
    state = prepare([engine(replicas=2)], requests((9, 2)))
    new = {one.name: getattr(Seen(), one.name) for one in fields(Seen)}
    assert {name: state.seen[1][name] for name in new} == new
    for name in ("load", "running", "tokens", "used", "latest"):
        state.seen[1][name] = 7
    be_new(state.seen, 1)
    assert {name: state.seen[1][name] for name in new} == new
