"""A family in lines: who was forked from whom, what changed, and a plan that has nobody."""

from dataclasses import replace

from fleettui.domain.plan_row import PlanRow
from fleettui.reports.ancestry_text import NO_KIN, Family, Relative, family_lines, family_text

FIRST = PlanRow(
    id="i1",
    handle="41a7",
    name="chat",
    created="2026-03-01T12:00:00Z",
    workload="chat",
    model="llama-3.1-70b",
    fleet="16 h100 tp8x2",
    gpus=16,
    cost_per_hour=47.2,
    ttft=0.4,
    tpot=None,
    e2e=None,
    verdict="pass",
    method="simulation",
)
SECOND = FIRST._replace(id="i2", handle="40f2", name="", gpus=24, cost_per_hour=70.8, method="formula")
THIRD = SECOND._replace(id="i3", handle="3ff0", gpus=None, cost_per_hour=None, verdict="infeasible", archived=True)
FAMILY = Family(
    plan="i2",
    relatives=(
        Relative(row=FIRST, depth=0),
        Relative(row=SECOND, depth=1, before=FIRST, changes=("rate: 100/s -> 140/s",)),
        Relative(row=THIRD, depth=2, before=SECOND, changes=("budget: none -> 60/h", "gpu: h100 -> h100,a100")),
    ),
)


def test_each_plan_stands_below_the_one_it_was_forked_from() -> None:
    assert family_text(FAMILY, 100).split("\n") == [
        "41a7 chat   16 GPUs $47/h PASS",
        "  40f2 (this plan)   rate: 100/s -> 140/s; +8 GPUs +$23.60/h; PASS by formula",
        "    3ff0 (archived)   budget: none -> 60/h; gpu: h100 -> h100,a100; INFEASIBLE",
    ]


def test_a_plan_that_is_not_sure_is_no_bare_pass() -> None:
    rows = (FIRST._replace(holds=0.61), SECOND._replace(holds=0.61))
    relatives = (replace(one, row=row) for one, row in zip(FAMILY.relatives, rows, strict=False))
    first, second = family_text(replace(FAMILY, relatives=tuple(relatives)), 100).split("\n")
    assert first.endswith("$47/h PASS at nominal speed")
    assert second.endswith("; ~PASS at nominal speed")


def test_what_takes_more_than_a_line_is_whole_and_indented() -> None:
    lines = family_lines(FAMILY, 48)
    assert list(lines) == ["i1", "i2", "i3"]
    assert lines["i3"].split("\n")[0] == "    3ff0 (archived)"
    assert all(line.startswith(" " * 8) for line in lines["i3"].split("\n")[1:])
    assert max(len(line) for text in lines.values() for line in text.split("\n")) <= 48
    assert " ".join(lines["i3"].split()).endswith("gpu: h100 -> h100,a100; INFEASIBLE")


def test_a_plan_that_nothing_changed_says_what_it_came_to() -> None:
    same = Relative(row=FIRST._replace(id="i4", handle="77aa"), depth=1, before=FIRST)
    stopped = Relative(
        row=FIRST._replace(id="i5", handle="77ab", finished=False, cost_per_hour=40.0), depth=1, before=FIRST
    )
    lines = family_lines(replace(FAMILY, relatives=(FAMILY.relatives[0], same, stopped)), 80)
    assert lines["i4"] == "  77aa chat   16 GPUs $47/h PASS"
    assert lines["i5"] == "  77ab chat   -$7.20/h; not finished"


def test_a_plan_alone_says_so_and_a_long_family_that_there_are_more() -> None:
    alone = replace(FAMILY, relatives=FAMILY.relatives[:1])
    assert alone.alone
    assert family_text(alone) == f"41a7 chat: {NO_KIN}"
    cut = family_text(replace(FAMILY, earlier=True, more=True)).split("\n")
    assert (cut[0], cut[-1]) == ("... earlier ones", "... and more")
