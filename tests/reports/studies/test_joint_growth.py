"""Growth of a joint plan: all workloads' orders, and what all of them have once each is there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.joint import Kind
from fleettui.domain.study import Study, table_of
from fleettui.domain.whatif import Growth, Stage
from fleettui.reports.studies.joint_growth import joint_growth_study
from fleettui.reports.studies.subject import About
from fleettui.reports.study_text import study_text
from tests.cli.conftest import BEST
from tests.reports.studies.test_steps import ABOUT, GROWTH, step
from tests.reports.studies.test_sweep import PLAN

STOCK = table_of(
    "Shared limits",
    [("stock of H100, GPUs", 120)],
    ("shared limit", "text", lambda row: row[0]),
    ("limit", "number", lambda row: row[1]),
)
JOINT = Study(kind="joint", title="Joint plan j", question="chat, code; least cost", seed=1, tables=(STOCK,))
KINDS = [Kind(name="h100", price=2.0, per_node=8)]


def stages(size: int, *coming: tuple[str, int]) -> list[Stage]:
    """Return the fleet of replicas of a GPU each that is there, and by day those that are needed next."""
    found = []
    for reached, replicas in (("2026-12-01", size), *coming):
        fleet = replace(step(replicas, 10.0 * replicas), gpus=replicas, there=(("h100", replicas),))
        late = reached < "2027-01-10"
        found.append(Stage(reached=reached, order_by="2026-10-15", late=late, rate=100.0, step=fleet))
    return found


GROWN: Mapping[str, tuple[About, Sequence[Stage]]] = {
    "chat": (ABOUT, stages(45, ("2027-02-05", 47))),
    "code": (ABOUT, stages(46, ("2027-01-05", 47), ("2027-07-05", 55))),
}


def told(joint: Study, growth: Growth) -> Study:
    found = joint_growth_study(joint, GROWN, KINDS, growth, "whatif j --growth 8%/month")
    assert max(map(len, study_text(found, 80).splitlines())) <= 80
    return found


def test_what_whole_nodes_pay_for_serves_before_anything_is_ordered() -> None:
    """91 GPUs serve in 12 nodes of eight; the five that are idle last until July, and two more nodes are above 120."""
    found = told(replace(JOINT, question=f"{JOINT.question}, whole nodes"), GROWTH)
    assert found.sentences[1:4] == (
        "the first order is 8 H100 by 2026-10-15, for code",
        "in the end 104 H100, $151,840/month, after 1 order, each for a quarter's growth or more, in whole nodes",
        "of 96 H100, paid for in whole nodes, 5 H100 are idle now and serve before any order",
    )
    assert not any("--orders" in one for one in found.sentences), "a plan in whole nodes orders these"
    (order,) = found.tables[0].records()
    told_of_it = ("order", "of", "then_all", "needed_from")
    assert [order[key] for key in told_of_it] == [8, "H100", "104 H100", "2027-07-05"]
    assert [tuple(row.values())[:3] for row in found.tables[1].records()] == [("chat", 45, 47), ("code", 46, 55)]
    short = told(replace(JOINT, question=f"{JOINT.question}, whole nodes"), replace(GROWTH, months=3))
    assert "no order is needed in that time: 96 H100 last through it" in short.sentences
    assert [one.title for one in short.tables] == ["what each grows to"]


def test_without_whole_nodes_each_gpu_is_ordered_alone_or_a_node_for_all() -> None:
    each = told(JOINT, replace(GROWTH, orders="each"))
    assert [row["order"] for row in each.tables[0].records()] == [1, 2, 8]
    assert "in the end 102 H100, $148,920/month, after 3 orders" in each.sentences
    quarter = told(JOINT, GROWTH)
    place = quarter.sentences.index(
        "in the end 107 H100, $156,220/month, after 2 orders, each for a quarter's growth or more, in whole nodes"
    )
    assert quarter.sentences[place + 1] == (
        "of these 102 H100 serve, as each type comes in whole nodes; --orders each orders single GPUs"
    )
    assert not any("--orders" in one for one in each.sentences)
    assert "the shapes of the fleets are kept, and others may last longer; idle" in quarter.sentences[-1]
    has = "there are the 91 H100 that the plan takes, and all others are ordered: the stock says how many may be had"
    assert has in quarter.sentences
    assert [row["order"] for row in quarter.tables[0].records()] == [8, 8]
    assert "the first order is 8 H100 by 2026-10-15, for code: already late" in quarter.sentences


def test_a_type_of_which_less_than_a_node_is_there_is_ordered_gpu_by_gpu() -> None:
    """Found: 8 H100 ordered beside 6 where one was missing, which was beyond a stock of 8."""
    few = {"chat": (ABOUT, stages(2, ("2027-02-05", 3))), "code": (ABOUT, stages(4, ("2027-07-05", 5)))}
    found = joint_growth_study(JOINT, few, KINDS, GROWTH, "whatif j --growth 8%/month")
    assert "in the end 8 H100, $11,680/month, after 2 orders, each for a quarter's growth or more" in found.sentences
    assert [row["order"] for row in found.tables[0].records()] == [1, 1]
    assert not any("--orders" in one for one in found.sentences)


def test_how_sure_it_is_and_between_which_days_orders_fall_are_told() -> None:
    """Seen: one plan's growth said both, a joint plan's nothing of either."""
    best = replace(BEST, model_error=0.2)
    sure = Confidence(holds=0.6, replicas=(7,), gpus=56, cost=165.2, span=(40, 80))
    about = {
        name: replace(ABOUT, fleet=best, plan=replace(PLAN, answer=best, confidence=replace(sure, holds=holds)))
        for name, holds in (("chat", 0.95), ("code", 0.6))
    }
    ends = {
        name: (about[name], [replace(one, earliest="2026-10-01", latest="2027-06-01") for one in stages])
        for name, (_, stages) in GROWN.items()
    }
    found = joint_growth_study(JOINT, ends, KINDS, GROWTH, "whatif j --growth 8%/month")
    assert max(map(len, study_text(found, 80).splitlines())) <= 80
    assert found.sentences[1] == "at today's rates the least sure is code: ~60% sure that 48 GPUs suffice"
    assert found.sentences[2].endswith("already late; 90% sure that is due between 2026-10-01 and 2027-06-01")
    days = found.tables[1]
    assert (days.title, days.rows[0]) == (
        "between which days each order falls",
        (8, "2026-10-15", "2026-10-01", "2027-06-01"),
    )
    assert "90% sure, over what step times may be" in days.note
    plain = told(JOINT, GROWTH)
    assert not any("sure" in one for one in plain.sentences)


@pytest.mark.parametrize(("most", "note"), [(99, "H100 above 99"), (104, "")])
def test_an_order_above_the_stock_says_so(most: int, note: str) -> None:
    table = replace(STOCK, rows=(("stock of H100, GPUs", most),))
    found = told(replace(JOINT, question=f"{JOINT.question}, whole nodes", tables=(table,)), GROWTH)
    assert [row["note"] for row in found.tables[0].records()] == [note]
    assert found.sentences[1].endswith(f", for code{f', beyond the stock of H100 (104 of {most})' * bool(note)}")
    assert not any("is used up" in one for one in found.sentences), "it is said of the first order"


def test_an_order_above_the_stock_says_what_is_left_of_it() -> None:
    """Found: 14 H100 of a stock of 8, and not a word of 7 MI300X of it that nobody had."""
    rows = (("stock of H100, GPUs", 99), ("stock of MI300X, GPUs", 8))
    found = told(replace(JOINT, question=f"{JOINT.question}, whole nodes", tables=(replace(STOCK, rows=rows),)), GROWTH)
    assert found.sentences[1].endswith(", beyond the stock of H100 (104 of 99), with 8 MI300X of the stock left")
    later = told(replace(JOINT, tables=(replace(STOCK, rows=rows),)), GROWTH)
    (since,) = [one for one in later.sentences if "is used up" in one]
    assert since.endswith("107 then, with 8 MI300X of the stock left")


def test_a_limit_that_a_later_order_breaks_is_told_with_that_order() -> None:
    """Two orders of a node: 99 and 107 GPUs at two dollars an hour."""
    rows = (("stock of H100, GPUs", 99), ("budget, $/h", 200.0), ("GPUs of all types", 95), ("power cap, W", 9.0))
    found = told(replace(JOINT, tables=(replace(STOCK, rows=rows),)), GROWTH)
    assert found.sentences[1].endswith(", for code: already late, beyond the GPUs of all types (99 of 95)")
    since = "is used up with the order for code that is needed from 2027-07-05 on"
    assert [one for one in found.sentences if "is used up" in one] == [
        f"the stock of H100 (99) {since}: 107 then",
        f"the budget ($200/h) {since}: $214/h then",
    ]
