"""The best disaggregated fleet of a small plan, simulated, and the walk to the smallest that holds."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fleettui.domain.disagg import Disaggregated, DisaggStage
from fleettui.domain.plan import Estimate, Evidence, PoolEvidence
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.planning.disagg_ask import DisaggAsk
from fleettui.planning.disagg_trials import DisaggTrials
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies.study_context import StudyContext, make
from store import Store
from tests.planning.simulated import Watched, question, trace
from tests.repeated import few

SIMULATED = "as simulated"
"""The title of the table of what was simulated."""

pytestmark = pytest.mark.own_workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(DisaggTrials):
    """Trials whose fleets hold from these sizes on; TTFT is late for want of prefill, TPOT for want of decode."""

    least: tuple[int, int]

    async def _evidence(self, stage: DisaggStage) -> Evidence:
        fleet = stage.figures.fleet
        late = fleet.prefill.replicas < self.least[0], fleet.decode.replicas < self.least[1]
        pool = PoolEvidence(
            name="all",
            ttft=Estimate(value=0.5 if late[0] else 0.1),
            tpot=Estimate(value=0.5 if late[1] else 0.01),
            utilization=0.5,
            batch=1.0,
        )
        one = Estimate(value=1.0)
        return Evidence(
            method="simulation", verdict="fail" if any(late) else "pass", ttft=pool.ttft, attainment=one, pools=(pool,)
        )


async def trials(
    store: Store, workers: Watched, folder: Path, kind: type[DisaggTrials], **more: object
) -> DisaggTrials:
    asked = question(trace(folder), verify=False)
    await make_plan(replace(asked, slo=replace(asked.slo, tpot=0.1)), store=store, pool=workers)
    desk, kept = StudyContext(store, workers), KeptPlan.of(store, "last")
    source = kept.source("trials", kept.profiles)
    ask = DisaggAsk(source=source, near=("h100",), left_out=())
    found = await desk.run("disagg", Disaggregated, ask=ask)
    return kind(desk=desk, kept=kept, source=source, fleet=found.rows[0].fleet, **more)  # type: ignore[arg-type]


@pytest.mark.thorough
@pytest.mark.parametrize("least", few([(1, 1), (4, 3)], 1, whole=True))
async def test_the_walk_ends_where_one_fewer_fails(
    store: Store, workers: Watched, tmp_path: Path, least: tuple[int, int]
) -> None:
    told = await trials(store, workers, tmp_path, Told, least=least)
    proof = await told.smallest()
    assert proof is not None
    assert proof.verdict == "pass"
    sizes = proof.pools[0].replicas, proof.pools[1].replicas
    assert all(size >= fewest for size, fewest in zip(sizes, least, strict=True))
    for side in (0, 1):
        fewer = (sizes[0] - (side == 0), sizes[1] - (side == 1))
        if min(fewer) > 0 and (await told._stage(fewer)).within:
            assert told.tried[fewer][1].verdict == "fail"


@pytest.mark.thorough
async def test_a_replication_is_the_same_again(store: Store, workers: Watched, tmp_path: Path) -> None:
    own = await trials(store, workers, tmp_path, DisaggTrials)
    stage = await own._stage((own.fleet.prefill.replicas, own.fleet.decode.replicas))
    assert stage.within
    assert stage.lengths[0].requests >= 20_000
    short = (PoolLength(warm_up=200, measured=800, relaxation=0.0),)
    first, again = [await own._replicate(own.fleet, short, 0) for _ in range(2)]
    assert isinstance(first, Replication)
    assert first == again
    assert 0.0 < (first.pools[0].mfu or 0.0) <= 1.0
    assert first.pools[0].offered == 800


@pytest.mark.thorough
async def test_what_would_take_minutes_is_not_simulated(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("disagg", store, pool=workers, plan="last")
    assert study.sentences[0].endswith("(by formula)")
    assert SIMULATED not in [table.title for table in study.tables]


@pytest.mark.evidence
async def test_the_best_fleet_of_each_way_is_simulated(store: Store, workers: Watched, tmp_path: Path) -> None:
    await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("disagg", store, pool=workers, plan="last")
    proofs = next(table for table in study.tables if table.title == SIMULATED).records()
    assert [row["way"] for row in proofs] == ["apart", "together"]
    assert study.sentences[0].endswith("(as simulated)")
    for row in proofs:
        assert row["verdict"] == "pass"
        assert float(row["low"] or 0.0) <= float(row["ttft"] or 0.0) <= float(row["high"] or 0.0) <= 0.2
