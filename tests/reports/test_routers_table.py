"""The routers of a study in one table, narrow and wide."""

from dataclasses import replace

from fleettui.domain.routers import LeftOut
from fleettui.domain.study import Study
from fleettui.planning.studies import STUDIES
from fleettui.reports import panes
from fleettui.reports.routers_table import left_out, routers_table, routers_to_take
from fleettui.reports.routing_text import routing_panes
from fleettui.reports.studies.routers import routers_study
from fleettui.reports.table import render
from tests.cli.conftest import PROVEN
from tests.reports.studies.test_routers import PLAYED, about, needed
from tests.reports.studies.test_sweep import ASKED, PLAN


def routers() -> Study:
    rows = [needed("length", 6), needed("random", 8), needed("vllm-dp", 6)]
    found = routers_study(PLAN, ASKED, PROVEN, PLAYED, rows)
    return STUDIES.named("routers").named(found, PLAN.plan.handle, PLAN.plan.name, {})


def test_the_plans_router_is_marked_and_others_say_what_they_change() -> None:
    lines = [line.rstrip() for line in render(routers_table(routers(), 80), 80).splitlines()]
    assert [" ".join(line.split()) for line in lines] == [
        "router TTFT against length TPOT SLO met needs GPUs $/h proof",
        "> length 0.40 s 40 ms 99% 48 142 simulated",
        "random 0.70 s slower, 0.30 s 40 ms 99% 64 189 simulated",
        "vllm-dp 0.35 s faster, 0.050 s 40 ms 99% 48 142 simulated",
    ]


def test_every_other_router_is_taken_by_its_name() -> None:
    found = routers_to_take(routers())
    assert [one.texts for one in found] == [{"router": "random"}, {"router": "vllm-dp"}]
    assert found[0].words == "random  TTFT 0.70 s, slower  64 GPUs  $189/h"


def test_one_that_rewrites_prompts_is_taken_with_its_factor_and_those_left_out_say_why() -> None:
    rows = [needed("length", 6), replace(needed("compress", 5), gamma=1.5), needed("vllm-dp", 6)]
    played = [replace(one, router=row.router) for one, row in zip(PLAYED, rows, strict=True)]
    why = LeftOut(router="class", why="sends by class, and all are of one", remedy="plan with --batch-share 30%")
    study = routers_study(PLAN, ASKED, PROVEN, played, rows, left_out=[why])
    assert [one.texts for one in routers_to_take(study)] == [
        {"router": "compress", "gamma": "1.5"},
        {"router": "vllm-dp"},
    ]
    assert left_out(study) == ["class sends by class, and all are of one: plan with --batch-share 30%"]
    assert len(render(routers_table(study, 80), 80).splitlines()) == 4
    assert study.warnings == ("100% of borderline prompts are taken to bear compression: fleettui compress",)
    assert left_out(routers()) == []


def test_routers_of_any_name_stand_on_a_line_each_and_a_fleet_by_formula_is_marked() -> None:
    names = ("length", "session-affinity", "power-of-two")
    rows = [needed(name, 6, simulated=name != "power-of-two") for name in names]
    played = [replace(one, router=row.router) for one, row in zip(PLAYED, rows, strict=True)]
    lines = render(routers_table(routers_study(PLAN, ASKED, PROVEN, played, rows), 77), 77).splitlines()
    assert len(lines) == 4
    assert "proof" not in lines[0]
    assert [line.split()[-2] for line in lines[1:]] == ["48", "48", "~48"]


def test_there_is_room_for_more_at_120_columns() -> None:
    text = render(routers_table(routers(), 118), 118)
    assert "not proven" in text
    assert "waiting, running" in text
    assert max(map(len, text.splitlines())) <= 118


def test_where_prefixes_are_cached_their_hits_stand_beside_ttft() -> None:
    changes = {"length": (0.06, 0.0), "random": (0.061, 0.001), "vllm-dp": (0.14, 0.08)}
    played = [
        replace(one, hit=about(hit), hit_change=about(change, 0.002))
        for one, (hit, change) in zip(PLAYED, changes.values(), strict=True)
    ]
    study = routers_study(PLAN, ASKED, PROVEN, played, [needed(name, 6) for name in changes])
    assert "prompt tokens found in prefix caches: vllm-dp 14%, random 6%, length 6%" in study.sentences
    assert [row["they_are"] for row in study.tables[-1].records()] == ["the plan's", "not proven", "more"]
    narrow, wide = (render(routers_table(study, width), width).splitlines() for width in (80, 118))
    assert narrow[0].split()[:5] == ["router", "TTFT", "against", "length", "hits"]
    assert narrow[-1].split()[:6] == ["vllm-dp", "0.35", "s", "faster,", "0.050", "s"]
    assert "more, 8%" in wide[-1]
    assert "not proven" in wide[-2]


def test_a_router_of_a_long_name_is_told_by_its_mark_where_there_is_no_room() -> None:
    """And at 80 columns every router stands on one line."""
    rows = [replace(one, router=name) for one, name in zip(PLAYED, ("prefix-aware", "random", "length"), strict=True)]
    rows = [replace(one, hit=about(0.06), hit_change=about(0.0)) for one in rows]
    best = replace(PROVEN, fleet=replace(PROVEN.fleet, router="prefix-aware"))
    study = routers_study(PLAN, ASKED, best, rows, [needed(one.router, 6) for one in rows])
    lines = render(routers_table(study, 80), 80).splitlines()
    assert (len(lines), lines[0].split()[2:4]) == (4, ["against", ">"])


def test_a_small_fleet_costs_what_other_views_say_to_the_cent_and_the_app_has_keys_for_options() -> None:
    """Seen: $/h 6 beside $5.90/h, and plan with --batch-share where the app's lines say batch-share."""
    rows = [replace(needed(one.router, 1), cost=5.9) for one in PLAYED]
    why = LeftOut(router="class", why="sends by class, and all are of one", remedy="plan with --batch-share 30%")
    study = routers_study(PLAN, ASKED, PROVEN, PLAYED, rows, left_out=[why])
    told = panes.told(routing_panes(PROVEN, ASKED, study=study), 78, "braille")
    assert told.count("8  5.90") == len(rows)
    assert "plan with batch-share 30%" in told
