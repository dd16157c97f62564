"""Rollouts on the GPUs of a small kept plan."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import STUDIES, asked, commands
from fleettui.planning.studies.study_context import StudyContext, make
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace


def typed(**words: str) -> dict[str, Any]:
    return asked(commands()["rollout"], {"plan": "last", **words})[1]


@pytest.mark.thorough
async def test_every_threshold_is_played_and_kept(store: Store, workers: Watched, tmp_path: Path) -> None:
    plan = await simulate(sketch(2), question(trace(tmp_path), verify=False), store=store, pool=workers)
    said = typed(prompts="64", tail="10%x20", at="10%,40%", pause="1s", **{"from": "tp4"})
    study = await make("rollout", store, pool=workers, **said)
    assert (study.kind, study.plan, store.study(study.handle)) == ("rollout", plan.plan.id, study)
    assert study.question.endswith("--prompts 64 --tail 10%x20 --from tp4 --at 10%,40% --pause 1s")
    rows, switches = (table.records() for table in study.tables)
    assert [row["switch_at"] for row in rows] == ["never", "10%", "40%", "the start"]
    assert [round(float(str(row["left"])) / 64, 1) for row in switches] == [0.0, 0.1, 0.4, 1.0]
    spans = {str(row["switch_at"]): float(str(row["makespan"])) for row in rows}
    after = {str(row["switch_at"]): row["after"] for row in switches}
    assert after["never"] is None
    for name in ("10%", "40%"):
        at = float(str(after[name]))
        assert 0.0 < at < spans["never"]
        assert spans[name] > at + 1.0
    assert float(str(after["40%"])) < float(str(after["10%"]))
    again = await make("rollout", store, pool=workers, **typed(prompts="64", tail="10%x20", at="10%", **{"from": "4"}))
    first, alone = again.tables[0].records()[1], rows[1]
    assert float(str(first["makespan"])) == pytest.approx(float(str(alone["makespan"])) - 1.0, rel=1e-12)


@pytest.mark.parametrize(("prompt", "known"), [(9_000, (1, 2, 4, 8)), (14_000, (2, 4, 8))])
async def test_a_layout_without_room_for_the_longest_request_is_not_taken(
    store: Store, workers: Watched, tmp_path: Path, prompt: int, known: tuple[int, ...]
) -> None:
    """Found by trying: the narrowest layout held the model, and the study failed in its midst at the first request."""
    run = tmp_path / "long.jsonl"
    run.write_text("".join(f'{{"timestamp": {at}, "input_tokens": {prompt}, "output_tokens": 8}}\n' for at in range(9)))
    asked = question(str(run), verify=False, dtype="fp8", demand=Demand(form="rate", rate=0.5), slo=Slo(ttft=9.0))
    await simulate(sketch(2, dtype="fp8"), asked, store=store, pool=workers)
    desk = StudyContext(store, workers)
    kept = desk.kept("last")
    pool = FleetSketch.of(kept.fleet_for("").fleet).pools[0]
    plain = replace(pool, above=None, up_to=None, context=None, concurrency=None, profile=None)
    source = kept.source(f"rollout {kept.id}", kept.profiles)
    assert await desk.run("rollout-layouts", tuple[int, ...], source=source, pool=plain) == known


async def test_layouts_that_do_not_go_together_are_refused(store: Store, workers: Watched, tmp_path: Path) -> None:
    await simulate(sketch(2), question(trace(tmp_path), verify=False), store=store, pool=workers)
    for words, said in (
        ({"from": "tp3"}, "--from: no replica of llama-3.1-70b is laid out so"),
        ({"from": "tp8"}, "no second layout"),
        ({"from": "tp4", "to": "tp4"}, "no second layout"),
        ({"gpus": "3"}, "no second layout"),
        ({"gpus": "12", "to": "tp8"}, "12 GPUs are no whole number of replicas of 8"),
    ):
        with pytest.raises(InputError, match=said):
            await make("rollout", store, pool=workers, **typed(**words))


async def test_a_plan_whose_engine_does_what_a_rollout_has_not_is_refused(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await simulate(
        replace(sketch(2), admission="reserved"), question(trace(tmp_path), verify=False), store=store, pool=workers
    )
    with pytest.raises(InputError, match="keeps blocks for whole contexts"):
        await make("rollout", store, pool=workers, **typed())


async def test_what_is_typed_is_read_and_typed_again(store: Store, workers: Watched) -> None:
    found = typed(prompts="2k", at="20%,5%,20%", link="50GB/s", recompute="yes", to="8")
    own = {"prompts": 2000, "thresholds": (0.05, 0.2), "link": 50e9, "recompute": "yes", "after": 8}
    assert found == {"plan": "last", **own}
    asks = "rollout 41a7 --prompts 2k --to tp8 --at 5%,20% --link 50GB/s --recompute"
    assert STUDIES.named("rollout").asked("41a7", found) == asks
    with pytest.raises(InputError, match="--gpus: the count is out of range"):
        typed(gpus="10k")
    with pytest.raises(InputError, match="--at: so many thresholds"):
        await make("rollout", store, pool=workers, **typed(at=",".join(f"{one}%" for one in range(1, 30))))
