"""A plan that says what other architectures take to its need, over a small trace."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning import architecture_need
from fleettui.planning.make_plan import make_plan
from fleettui.reports.searched_architecture_text import AUTO
from store import Store
from tests.planning.simulated import Watched, question, trace


@pytest.mark.thorough
async def test_the_plan_says_what_prefill_apart_takes_and_keeps_that(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(architecture_need, "usual_layouts", lambda _: ("tp4/tp4",))
    asked = question(trace(tmp_path), verify=False, architecture="auto", slo=Slo(ttft=0.5))
    answer = await make_plan(asked, store=store, pool=workers)
    assert store.question(answer.plan.id) == replace(asked, architecture="together")
    cheaper, afd, *_ = (one for one in answer.why if one.startswith(AUTO))
    (study,) = store.studies(plan=answer.plan.id)
    assert cheaper == f"{AUTO} {study.sentences[0]}: fleettui disagg last"
    assert afd.startswith(f"{AUTO} attention/FFN ")
    assert "by formula" in afd
    assert afd.endswith("fleettui frontier last")


async def test_what_cannot_be_taken_apart_is_refused_before_the_plan(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    closed = question(
        trace(tmp_path), verify=False, architecture="auto", demand=Demand(form="concurrency", concurrency=8)
    )
    before = len(store.plans())
    with pytest.raises(InputError, match="closed loop"):
        await make_plan(closed, store=store, pool=workers)
    assert len(store.plans()) == before
