"""JSON of schema 2: each name has one meaning and one type, and a plan reads back as it was (found 14)."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.decisive import Decisive
from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from fleettui.domain.redundancy import PoolRedundancy, Redundancy, Serving, StandBy
from fleettui.domain.stock import Stock
from fleettui.domain.study import Study, table_of
from fleettui.planning.example import example
from fleettui.reports.plan_json import envelope, plan_json
from fleettui.reports.schema_two import schema_one, schema_two
from fleettui.reports.study_text import study_json
from tests.store import samples

SERVING = Serving(ttft=0.4, holds=True)
SPARES = StandBy(spares=1, gpus=24, cost=70.8, up=0.999, all_up=SERVING, one_down=SERVING)
STEPS = table_of(
    "replicas of all H100 tp8",
    [1],
    ("up_to", "rate", lambda _: 82.9),
    ("replicas", "text", lambda _: "3 + 8"),
    ("fleet", "text", lambda _: "H100 tp8 x3 + tp4 x8"),
    ("cost", "dollars per hour", lambda _: 70.0),
    ("dollars_month", "number", lambda _: 51_100.0),
    ("ttft", "seconds", lambda _: 0.4),
    ("low", "text", lambda _: "30%"),
)


def whole() -> Answer:
    """Return an answer that says all that an answer may say."""
    return replace(
        samples.answer(3),
        confidence=Confidence(holds=0.48, replicas=(7,), gpus=28, cost=70.0, span=(8, 40)),
        decides=Decisive(name="prefix-hit", now="0%", other="30%", gpus=20, cost=59.0),
        stock=Stock(replicas=(3,), gpus=(24,), cost=70.8, simulated=True, rate=114.0, rate_simulated=True),
        redundancy=Redundancy(
            of="node",
            up=0.987,
            target=0.999,
            pools=(PoolRedundancy(name="all", replicas=2, spares=1, choices=(SPARES,)),),
        ),
    )


def printed() -> list[dict[str, Any]]:
    """Return what several commands print as JSON of schema 1."""
    answer, question, _ = example()
    study = Study(kind="steps", title="steps", question="whatif 41a7 --steps", plan="id", tables=(STEPS,))
    own = Study(kind="published", title="Published tables", question="published", tables=(STEPS,))
    row = {"id": "1", "fleet": "48 h100 tp8x6 + 8 a100 tp4x1+1", "verdict": "pass", "workload": "w", "archived": False}
    listed = {**row, "candidates": 3, "ttft": 0.4, "tpot": 0.03, "e2e": 9.0, "parent": "", "holds": 0.6}
    job = Job(id="j", handle="1fe2", kind="plan", title="plan", state="done", plan="p", candidate="c")
    return [
        plan_json(answer, question=question),
        plan_json(whole(), question=samples.question()),
        study_json(study, "whatif"),
        study_json(own, "published"),
        envelope("list", plans=[listed]),
        envelope("jobs list", jobs=[job]),
    ]


def kinds(value: Any, name: str, found: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return by key which types of JSON its values have, null left out; `inputs` and `slo` are questions."""
    if isinstance(value, dict):
        found[name].add("object")
        for key, one in value.items():
            if key not in ("inputs", "slo"):
                kinds(one, key, found)
    elif isinstance(value, list):
        for one in value:
            kinds(one, f"{name}[]", found)
    elif value is not None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        found[name].add("number" if number else type(value).__name__)
    return found


def many(pages: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Return the names that have values of several types in the `pages`."""
    found: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        kinds(page, "", found)
    return {name: types for name, types in found.items() if len(types) > 1}


def test_each_name_has_one_type() -> None:
    """In schema 1 a fleet is an object or a text, replicas are a number or a text, a TTFT a number or an interval."""
    assert many(printed()).keys() >= {"fleet", "replicas", "ttft"}
    assert many([schema_two(page) for page in printed()]) == {}


def test_up_to_and_time_per_context_token_and_cost_have_one_meaning() -> None:
    pages = [str(schema_two(page)) for page in printed()]
    for name in (
        "'up_to'",
        "'above'",
        "'time_per_context_token'",
        "'cost'",
        "'per_hour'",
        "'span'",
        "'cells'",
        "'power'",
    ):
        assert not any(name in page for page in pages), name


def test_a_study_has_numbers_as_numbers_and_fleets_as_pools() -> None:
    (row,) = schema_two(printed()[2])["tables"][0]["rows"]
    assert (row["rate_up_to"], row["replicas"], row["cost_per_hour"], row["cost_per_month"]) == (
        82.9,
        [3, 8],
        70.0,
        51_100.0,
    )
    assert [(one["tp"], one["replicas"], one["gpus"]) for one in row["fleet"]["pools"]] == [(8, 3, 24), (4, 8, 32)]
    published = schema_two(printed()[3])["tables"][0]
    assert published.keys() == {"title", "note", "columns", "rows"}
    of_page = envelope("report", report={"title": "", "note": "", "columns": [{"title": "$/h"}], "rows": [["1"]]})
    assert schema_two(of_page)["report"] == of_page["report"], "a page has titles and cells in words"


def test_a_list_has_the_fleets_pools_and_ids_of_what_it_is_about() -> None:
    (plan,) = schema_two(printed()[4])["plans"]
    assert [(one["gpu"], one["gpus"], one["spares"]) for one in plan["fleet"]["pools"]] == [
        ("h100", 48, 0),
        ("a100", 8, 1),
    ]
    assert (plan["candidate_count"], plan["worst_ttft"], plan["parent_id"]) == (3, 0.4, "")
    (job,) = schema_two(printed()[5])["jobs"]
    assert (job["id"], job["plan_id"], job["candidate_id"]) == ("j", "p", "c")


def test_what_decides_is_in_si_units() -> None:
    found = schema_two(plan_json(whole()))
    assert (found["decides"]["now"], found["decides"]["other"]) == (0.0, 0.3)
    unknown = replace(whole(), decides=Decisive(name="no key", now="a", other="b", gpus=None, cost=None))
    assert schema_two(plan_json(unknown))["decides"]["now"] == "a"


@pytest.mark.parametrize("page", range(2))
def test_a_plan_reads_back_as_it_was(page: int) -> None:
    plain = printed()[page]
    assert schema_one(schema_two(plain)) == plain
    assert schema_two(plain)["schema"] == 2
