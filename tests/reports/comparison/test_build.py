import dataclasses

from fleettui.domain.demand import Demand
from fleettui.domain.slo import Slo
from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.model import Compared, Row
from tests.reports.comparison.conftest import Make
from tests.reports.conftest import simulated, two_pools


def differing(*plans: Compared) -> dict[str, Row]:
    return {row.label: row for row in compare(plans).rows if row.differs}


def texts(row: Row) -> tuple[str, ...]:
    return tuple(cell.text for cell in row.cells)


def test_only_what_differs_differs(base: Compared, other: Compared) -> None:
    assert set(differing(base, other)) == {"cost", "P99 TTFT", "nearest limit"}
    assert not differing(base, base)


def test_inputs_come_before_results_and_what_made_them_last(base: Compared, other: Compared) -> None:
    sections = [row.section for row in compare((base, other)).rows]
    assert sections == sorted(sections, key=["inputs", "results", "provenance"].index)


def test_every_key_that_is_another_has_its_row(base: Compared, make: Make) -> None:
    asked = make(
        "40f2",
        simulated(two_pools()),
        workload="food",
        model="qwen-2.5-72b",
        demand=Demand(form="rate", rate=120.0),
        slo=Slo(ttft=1.0, percentile=0.95),
        seed=9,
        name="other",
        verify=False,
    )
    found = differing(base, asked)
    assert texts(found["model"])[1] == "qwen-2.5-72b"
    assert texts(found["rate"])[1] == "120/s"
    assert texts(found["slo-ttft"])[1] == "1s"
    assert texts(found["slo-tpot"])[1] == "-"
    assert texts(found["lengths"]) == ("feed", "food")
    assert found["seed"].section == "provenance"
    assert not {"name", "verify"} & set(found)


def test_a_price_of_the_catalogue_has_a_row_where_all_plans_searched_that_gpu(base: Compared, make: Make) -> None:
    plans = [
        make(handle, simulated(two_pools()), prices=(("h100", price), *more))
        for handle, price, more in (("1a", 2.0, (("a100", 1.3),)), ("2b", 2.5, ()))
    ]
    found = differing(*plans)
    assert texts(found["price H100"]) == ("$2.00/h", "$2.50/h")
    assert "price A100" not in found
    typed = dataclasses.replace(plans[1], question=dataclasses.replace(plans[1].question, prices=(("h100", 2.5),)))
    assert "price H100" not in differing(plans[0], typed)
    (row,) = (row for row in compare([plans[0], typed]).rows if row.label == "price")
    assert [cell.text for cell in row.cells] == ["h100 $2.00/h catalogue", "h100 $2.50/h typed"]


def test_a_wish_that_no_fleet_fulfils_stands_beside_the_verdict(base: Compared, make: Make) -> None:
    failed = make("40f2", base.fleet, verdict="fail")
    wish = dataclasses.replace(failed.answer, why=("no fleet of any size is 90% sure: 85% are",))
    missed = dataclasses.replace(failed, answer=wish, question=dataclasses.replace(failed.question, confidence=0.9))
    assert texts(differing(base, missed)["verdict"]) == ("PASS", "FAIL, not 90% sure")


def test_another_verdict_is_judged(base: Compared, make: Make) -> None:
    failed = make("40f2", base.fleet, verdict="fail")
    row = differing(base, failed)["verdict"]
    assert (texts(row), row.cells[1].word) == (("PASS", "FAIL"), "worse")
    assert differing(failed, base)["verdict"].cells[1].word == "better"
