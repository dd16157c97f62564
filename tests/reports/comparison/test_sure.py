"""Plans beside each other say how sure each is, as each says it of itself."""

import dataclasses

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.model import Compared, Row
from fleettui.reports.comparison.sentences import sentences
from tests.reports.comparison.conftest import Make


def _sure(plan: Compared, holds: float, gpus: int | None) -> Compared:
    cost = None if gpus is None else 3.0 * gpus
    known = Confidence(holds=holds, replicas=None, gpus=gpus, cost=cost, span=(None, None))
    fleet = dataclasses.replace(plan.answer.answer, gpus_range=(2, 16)) if plan.answer.answer else None
    return dataclasses.replace(plan, answer=dataclasses.replace(plan.answer, confidence=known, answer=fleet))


def _texts(plans: tuple[Compared, ...]) -> dict[str, tuple[str, ...]]:
    return {row.label: tuple(cell.text for cell in row.cells) for row in _rows(plans)}


def _rows(plans: tuple[Compared, ...]) -> list[Row]:
    return [row for row in compare(plans).rows if row.section == "results"]


def test_a_pass_at_nominal_speed_is_not_the_same_as_a_pass(base: Compared, other: Compared) -> None:
    plans = _sure(base, 0.53, None), _sure(other, 0.86, 12)
    found = _texts(plans)
    assert found["verdict"] == ("PASS at nominal speed", "PASS")
    failed = dataclasses.replace(plans[1], answer=dataclasses.replace(plans[1].answer, verdict="fail"))
    assert f"it is FAIL where {base.handle} is PASS at nominal speed" in sentences((plans[0], failed))[0]
    assert found["how sure"] == ("53%", "86%")
    assert found["90% sure with"] == ("no number of them", "~12 (~$36/h)")
    assert found["GPUs may be"] == ("between 2 and 16 GPUs",) * 2
    assert found["nearest limit"] == ("P99 TTFT at least 10% left", "P99 TTFT at least 20% left")
    (row,) = [row for row in _rows(plans) if row.label == "how sure"]
    assert (row.cells[1].word, row.differs) == ("better", True)


def test_fleets_of_other_gpus_that_are_as_good_as_sure_are_named(base: Compared, other: Compared) -> None:
    """Found: ~3 ($5.97/h), of MI300X, stood beside ~6 ($16/h), of the H100 that both plans have."""
    plans = _sure(base, 0.86, 5), _sure(other, 0.53, 6)
    assert _texts(plans)["90% sure with"] == ("~5 (~$15/h)", "~6 (~$18/h)"), "like with like needs no name"
    fleet, known = plans[0].fleet, plans[0].answer.confidence
    assert fleet is not None
    assert known is not None
    pool = dataclasses.replace(fleet.fleet.pools[0], gpu="mi300x", tp=1, pp=1, replicas=3, spares=0)
    instead = SureFleet(fleet=dataclasses.replace(fleet.fleet, pools=(pool,)), cost=5.97)
    answer = dataclasses.replace(plans[0].answer, confidence=dataclasses.replace(known, instead=instead))
    named = dataclasses.replace(plans[0], answer=answer)
    own = " + ".join(fleet.fleet.gpus_by_type).upper()
    assert _texts((named, plans[1]))["90% sure with"] == ("~3 MI300X (~$5.97/h)", f"~6 {own} (~$18/h)")
    assert _texts((named, named))["90% sure with"] == ("~3 MI300X (~$5.97/h)",) * 2


def test_what_is_known_of_no_plan_has_no_row(base: Compared, make: Make) -> None:
    plain = tuple(
        dataclasses.replace(one, answer=dataclasses.replace(one.answer, confidence=None)) for one in (base, base)
    )
    assert {"how sure", "90% sure with"}.isdisjoint(_texts(plain))
    assert _texts((base, make("2d3f", None)))["nearest limit"][1] == "-"
