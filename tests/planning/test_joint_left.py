"""The page of a joint plan's workload advises what the stock leaves for it, and says what of it is beyond that."""

from dataclasses import replace
from pathlib import Path

from fleettui.planning.joint_left import beside_others
from fleettui.planning.report import report_plan
from fleettui.planning.stock_share import asked_again
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
    words = "90% with ~28 like these ($83/h, beyond the stock of H100, 24 left)"
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
