"""The routers beside each other on a small kept plan's fleet."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand
from fleettui.errors import InputError
from fleettui.planning import router_trials
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from fleettui.routing import ROUTERS
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace


@pytest.mark.evidence
async def test_every_router_meets_the_same_requests(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(router_trials, "LEAST_RUNS", 4)
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    plan = await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("routers", store, pool=workers, plan="last")
    assert (study.kind, study.plan, store.study(study.handle)) == ("routers", plan.plan.id, study)
    ttft, _, fleets, others = (table.records() for table in study.tables)
    apart = [one for one in ROUTERS if not one.meets and not one.remembers and not one.of_sessions]
    assert [row["router"] for row in ttft] == [one.name for one in apart]
    assert {row["router"] for row in others} == {one.name for one in ROUTERS} - {one.name for one in apart}
    by_name = {str(row["router"]): row for row in ttft}
    assert by_name["length"]["it_is"] == "the plan's"
    assert by_name["random"]["it_is"] == "slower"
    assert {row["proof"] for row in fleets} <= {"formula", ""}


@pytest.mark.evidence
async def test_where_a_replica_is_slow_whoever_looks_at_loads_keeps_more_limits_than_chance(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(router_trials, "LEAST_RUNS", 4)
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    plan = await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("routers", store, pool=workers, plan="last", only=("random",), slow=0.3)
    assert study.question == f"routers {plan.plan.handle} --only random --slow 30%"
    assert study.sentences[0].startswith("one replica of each pool is at 30% of its speed throughout")
    kept = {str(row["router"]): float(row["slo_met"] or 0.0) for row in study.tables[2].records()}
    plain = await make("routers", store, pool=workers, plan="last", only=("random",))
    well = {str(row["router"]): float(row["slo_met"] or 0.0) for row in plain.tables[2].records()}
    assert kept["random"] < kept["length"] <= well["length"]
    assert kept["random"] < well["random"]


@pytest.mark.evidence
async def test_where_requests_come_again_the_worst_minutes_stand_beside_those_without(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(router_trials, "LEAST_RUNS", 2)
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    bounds = Bounds(queue=2, timeout=1.0, retries=3, backoff=0.2)
    asked = question(trace(tmp_path), verify=False, bounds=bounds, demand=Demand(form="rate", rate=60.0))
    await simulate(sketch(2), asked, store=store, pool=workers)
    study = await make("routers", store, pool=workers, plan="last", only=("random",))
    rows = {str(row["router"]): row for row in study.tables[3].records()}
    assert study.tables[3].title.endswith("of the first run, where requests come again")
    assert list(rows) == ["length", "random"]
    for row in rows.values():
        assert 1.0 < float(row["attempts"] or 0.0) <= 4.0
        assert 0.0 <= float(row["slo_met"] or 0.0) <= 1.0
        assert 0.0 < float(row["without"] or 0.0) <= 1.0


@pytest.mark.evidence
async def test_routers_between_pools_meet_the_same_stream_as_the_others(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(router_trials, "LEAST_RUNS", 4)
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    asked = question(trace(tmp_path), verify=False, pools=(2,), gamma=(1.0, 1.6))
    plan = await simulate(sketch(2, 1), asked, store=store, pool=workers)
    study = await make("routers", store, pool=workers, plan="last", only=("least-loaded",))
    assert study.plan == plan.plan.id
    fleets = {str(row["router"]): row for row in study.tables[2].records()}
    assert fleets["length"]["other_pool"] == 0.0
    moved = fleets["least-loaded"]["other_pool"]
    assert isinstance(moved, float)
    assert 0.0 < moved < 1.0
    rewritten = await make("routers", store, pool=workers, plan="last", only=("compress",))
    rows = {str(row["router"]): row for row in rewritten.tables[2].records()}
    assert [rows[name]["gamma"] for name in ("length", "compress")] == [1.0, 1.6]
    assert rows["length"]["other_pool"] == 0.0
    assert 0.1 < float(rows["compress"]["other_pool"] or 0.0) < 0.4
    behind = replace(sketch(2, 1), router="least-loaded")
    await simulate(behind, asked, store=store, pool=workers)
    with pytest.raises(InputError, match="sends between pools"):
        await make("burst", store, pool=workers, plan="last", seconds=60.0, factor=1.5)


async def test_one_pool_has_no_router_between_pools(store: Store, workers: Watched, tmp_path: Path) -> None:
    await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    with pytest.raises(InputError, match="the fleet has one"):
        await make("routers", store, pool=workers, plan="last", only=("spillover",))


async def test_one_replica_leaves_no_choice(store: Store, workers: Watched, tmp_path: Path) -> None:
    await simulate(sketch(1), question(trace(tmp_path), verify=False), store=store, pool=workers)
    with pytest.raises(InputError, match="every router does the same"):
        await make("routers", store, pool=workers, plan="last")


@pytest.mark.evidence
async def test_in_sessions_those_play_too_that_know_them(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever stays with its session finds what it had; of two replicas a random one has it half of the time."""
    monkeypatch.setattr(router_trials, "LEAST_RUNS", 2)
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    path = tmp_path / "sessions.csv"
    rows = [f"{one},{200 + 300 * place},90,{0.5 * bool(place)}" for one in range(40) for place in range(1 + one % 5)]
    path.write_text("session_id,input_tokens,output_tokens,think_s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    asked = question(str(path), verify=False, sessions=True, prefix_cache=True)
    await simulate(sketch(2), asked, store=store, pool=workers)
    study = await make("routers", store, pool=workers, plan="last", only=("random", "session-affinity"))
    hits = {str(row["router"]): float(str(row["hits"])) for row in study.tables[3].records()}
    assert list(hits) == ["length", "random", "session-affinity"]
    assert hits["session-affinity"] > 1.5 * hits["random"] > 0.1
