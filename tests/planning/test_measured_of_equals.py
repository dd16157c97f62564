"""Of fleets that cost as much, the one that the question's own fit knows is the answer."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.plan import Candidate, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning import confidence_reasons
from fleettui.planning.measured_of_equals import measured_of_equals
from fleettui.planning.sized_shapes import Option
from fleettui.planning.trial import Trial
from tests.own_fits import FIT, SERVER, values
from tests.planning.trials import curves, evidence, scaled, shape

KNOWN = shape(2)
POOL = KNOWN.fleet.pools[0]
OWN = replace(SERVER, **{one: getattr(POOL, one) for one in ("gpu", "model", "dtype", "tp", "kv_dtype")})
QUESTION = Question(slo=Slo(ttft=0.5), **{**values(), "fit": replace(FIT, servers=(OWN,))})


def trial(candidate: Candidate, verdict: Verdict) -> Trial:
    return Trial(
        candidate=replace(candidate, evidence=evidence(verdict)),
        pools=(verdict,),
        utilization=(0.5,),
        shares=((0.5,),),
    )


@pytest.mark.parametrize(
    ("costs", "verdict", "changes", "is_found"),
    [
        (8.0, "pass", {}, True),
        (8.1, "pass", {}, False),
        (8.0, "fail", {}, False),
        (8.0, "pass", {"objective": "gpus"}, False),
        (8.0, "pass", {"fit": None}, False),
        (8.0, "pass", {"confidence": 0.9}, False),
    ],
    ids=["as cheap", "dearer", "fails", "cost does not decide", "no fit", "a confidence is wished"],
)
async def test_the_fleet_that_the_fit_knows_is_simulated_where_it_costs_no_more(
    costs: float, verdict: Verdict, changes: dict[str, Any], is_found: bool
) -> None:
    """Found: a correction was evaded by a fleet that it says nothing of, for as much and less surely."""
    other = shape(2, gpu="a100")
    best = replace(scaled(other, (8,)), cost_per_hour=8.0, compressor_cost=0.0)
    question = replace(QUESTION, **changes)

    async def attempt(one: Candidate, sizes: tuple[int, ...]) -> Trial:
        return trial(scaled(one, sizes), verdict)

    async def options(shapes: list[tuple[Candidate, Any]], tried: list[Candidate]) -> list[Option]:
        assert [one for one, _ in shapes] == [KNOWN]
        assert tried == [best]
        return [Option(costs, KNOWN, (4,), ())]

    trials: Any = SimpleNamespace(
        question=question, attempt=attempt, sized_for=lambda _: SimpleNamespace(options=options)
    )
    shapes = [(one, curves(one)) for one in (other, KNOWN)]
    found = await measured_of_equals(trials, shapes, trial(best, "pass"), [best])
    assert (found is not None) is is_found
    if found is not None:
        assert found.candidate.fleet == scaled(KNOWN, (4,)).fleet
        assert await measured_of_equals(trials, shapes, found, [best]) is None, "it is known"
        assert confidence_reasons.unmeasured(best, question) == (
            "A100 tp2 x8 holds, too, and costs as much, but own fit prod has not seen all its hardware"
        )
