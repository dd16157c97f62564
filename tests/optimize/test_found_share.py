"""What caches and the memory beside the GPUs find, by formula."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.simulation_inputs import Scene, read


@cache
def scene() -> Scene:
    """Return conversations in sessions, whose replicas keep what they computed."""
    asked = Question(
        workload="mooncake-conversation",
        sessions=True,
        prefix_cache=True,
        demand=Demand(form="rate", rate=2.0),
        slo=Slo(ttft=60.0),
        dtype="fp8",
        router="session-affinity",
        pools=(1,),
        drop_longer=True,
    )
    workload = workload_of(asked, longest=131_072, format=None)
    question = with_record(asked, workload)
    cases, context = read(question, workload)
    return Scene(question=question, case=cases[0], rate=2.0, context=context)


def found(kv_offload: str) -> float:
    """Return the share of prompt tokens that twelve replicas of two H100 find, on which caches are short of memory."""
    own = replace(scene(), question=replace(scene().question, kv_offload=kv_offload))
    pool = PoolSketch(gpu="h100", model="llama-3.1-70b", dtype="fp8", tp=2, replicas=12)
    scored, _ = own.stage(FleetSketch(router="session-affinity", pools=(pool,)))
    share = scored.traffic.pools[0].found
    assert share is not None
    return share


def test_more_memory_beside_and_a_faster_link_find_more() -> None:
    by_memory = [found(f"{size}GB@25GB/s") for size in (5, 20, 100, 10_000)]
    by_link = [found(f"100GB@{speed}GB/s") for speed in (2, 10, 50, 1000)]
    alone, without_limit = found(""), scene().question.prefix_hit
    assert alone < by_memory[0] < by_memory[1] < by_memory[2]
    assert by_memory == sorted(by_memory)
    assert by_link == sorted(by_link)
    assert by_link[0] < by_link[-1] < without_limit + 1e-9


def test_a_link_that_takes_longer_than_prefill_finds_nothing() -> None:
    assert found("100GB@0.5GB/s") == pytest.approx(found(""), abs=1e-12)
