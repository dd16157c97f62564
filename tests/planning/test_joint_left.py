"""The page of a joint plan's workload advises what the stock leaves for it, and says what of it is beyond that."""

from dataclasses import replace
from pathlib import Path

from fleettui.planning.joint_left import asked_beside_others, beside_others
from fleettui.planning.report import report_plan
from fleettui.planning.stock_share import asked_again
from fleettui.planning.studies.study_context import make
from fleettui.planning.studies.why import BESIDE_OTHERS
from fleettui.reports.plan_text import plan_text
from fleettui.tui.tabs.plan_preview import look_at
from store import Store
from tests.planning.simulated import Here
from tests.planning.test_joint import made
from tests.planning.test_plan_together import over, short


async def test_a_workloads_page_says_what_is_beyond_what_the_others_leave(store: Store, tmp_path: Path) -> None:
    """Found: 90% with ~28 H100 on each page, of a stock of 44 of which the other workload has 20."""
    plan, study = await made(over(short(tmp_path, verify=False), h100=44, a100=0), store=store, pool=Here())
    store.add_study(replace(study, id="", handle="", created="", joint=None))  # as earlier programs kept it
    chat, _ = (one.plan for one in plan.planned)
    assert chat is not None
    assert beside_others(store, chat) == chat, "its newest joint plan does not tell its limits"
    store.add_study(replace(study, id="", handle="", created="", joint=asked_again(plan, None)))
    assert chat.confidence is not None
    told = beside_others(store, chat)
    assert told.confidence == replace(chat.confidence, beyond="beyond the stock of H100, 24 left")
    words = "90% with ~28 like these (~$83/h, beyond the stock of H100, 24 left)"
    question = store.question(chat.plan.id)
    for page in (
        plan_text(told, question),
        look_at(store, chat.plan.id, "").text(80),
        " ".join(
            sentence for section in report_plan(store, chat.plan.handle).sections for sentence in section.sentences
        ),
    ):
        assert words in " ".join(page.split())
    assert store.plan(chat.plan.id) == chat, "what is kept stays as it is"


async def test_a_workload_that_the_stock_leaves_enough_is_told_the_same(store: Store, tmp_path: Path) -> None:
    plan, study = await made(over(short(tmp_path, verify=False), h100=50, a100=0), store=store, pool=Here())
    store.add_study(replace(study, id="", handle="", created="", joint=asked_again(plan, None)))
    for one in plan.planned:
        assert one.plan is not None
        assert beside_others(store, one.plan) == one.plan


async def test_a_workloads_prices_turn_to_nothing_beyond_what_the_others_leave(store: Store, tmp_path: Path) -> None:
    """Found: above $7.90 of an H100 ten L40S were to cost less, of a stock of 8."""
    pool, asked = Here(), over(short(tmp_path, verify=False), h100=50, a100=40)
    asked = replace(asked, limits=replace(asked.limits, max_total_gpus=60, budget=500.0, max_power=90_000.0))
    plan, study = await made(asked, store=store, pool=pool)
    study = store.add_study(replace(study, id="", handle="", created="", joint=asked_again(plan, None)))
    chat, code = (one.plan for one in plan.planned)
    assert chat is not None
    assert code is not None
    assert code.answer is not None
    held = asked_beside_others(store, chat.plan.handle, store.question(chat.plan.id))
    assert held.max_gpus == (("a100", 40), ("h100", 50 - code.answer.gpus))
    assert held.max_total_gpus == 60 - code.answer.gpus
    assert held.budget is not None
    assert held.max_power is not None
    assert held.budget >= 500.0 - code.answer.cost_per_hour
    assert held.max_power >= 90_000.0 - code.answer.power
    for ref in (study.handle, chat.plan.handle):
        why = await make("why", store, pool=pool, plan=ref)
        told = next(one for one in why.tables if one.title.endswith("prices at which another fleet is cheaper"))
        assert {row["then"] for row in told.records()} == {"never"}, "60 A100s would do it"
        assert why.warnings[0] == BESIDE_OTHERS
