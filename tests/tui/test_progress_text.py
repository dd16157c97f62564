"""The words of the frame for every state of the app and its work."""

import time
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.joint import Entry, JointQuestion, SharedLimits
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.tui.progress_text import NOT_PLANNED, badge, doing, ended, left_words, status, superseded_words
from fleettui.tui.question_draft import Draft
from fleettui.tui.question_lines import joint_lines, question_lines
from fleettui.tui.shown import Shown
from fleettui.tui.state import AppState
from fleettui.tui.task import Task
from fleettui.tui.use_case_thread import UseCaseThread
from tests.cli.conftest import ROW
from tests.store import samples

ASKED = Question(workload="azure-2023-conv", demand=Demand(form="rate", rate=100.0), slo=Slo(ttft=0.5), gpus=("h100",))


def task(done: int = 0, total: int = 0, message: str = "searching") -> Task:
    return Task(title="plan chat", kind="plan", progress=Progress(message=message, done=done, total=total))


@pytest.fixture
def calm() -> AppState:
    """The state that shows a finished plan of one's own; its thread never runs."""
    shown = Shown(answer=samples.answer(), question=ASKED, row=ROW)
    return AppState(thread=UseCaseThread(None, 1), shown=shown, draft=Draft.of(ASKED, parent=ROW.id))


def test_the_badge_tells_how_many_and_how_far() -> None:
    assert badge([]) == ""
    assert badge([task()]) == "● 1 job"
    assert badge([task(3, 10), task(9, 10)]) == "● 2 jobs 60%"


def test_the_badge_is_of_one_moment() -> None:
    class Next(Task):
        """Work that goes on to the next fleet between two looks."""

        def __getattribute__(self, name: str) -> Any:
            if name != "progress":
                return super().__getattribute__(name)
            seen.append(name)
            return (
                Progress(message="", done=50, total=100) if len(seen) == 1 else Progress(message="", done=0, total=10)
            )

    seen: list[str] = []
    assert badge([Next(title="plan chat", kind="plan")]) == "● 1 job 50%"


def test_progress_that_begins_anew_with_each_fleet_is_no_share_of_the_whole() -> None:
    """Seen: 25, 0, 90 and 50 % as one fleet after the other was simulated."""
    one = Task(title="plan chat", kind="plan")
    for message, done, total, words in (
        ("simulating 7x", 1, 4, " 25%"),
        ("simulating 7x", 4, 4, " 100%"),
        ("simulating 8x", 0, 4, ", fleet 2"),
        ("simulating 8x", 5, 10, ", fleet 2"),
        ("simulating 9x", 10, 10, ", fleet 3"),
    ):
        one.report(Progress(message=message, done=done, total=total))
        assert badge([one]) == f"● 1 job{words}"
    assert doing(one).startswith("simulating 9x  10/10  fleet 3  ")
    assert badge([one, one]) == "● 2 jobs"


def test_a_search_says_which_fleet_of_how_many_and_its_share_never_falls() -> None:
    one, shares = Task(title="plan chat", kind="plan"), []
    for fleet, fleets, done, total in ((1, 0, 2, 4), (2, 4, 0, 4), (2, 4, 4, 4), (2, 4, 4, 10), (3, 3, 1, 4)):
        one.report(Progress(message=f"simulating {fleet}x", done=done, total=total, fleet=fleet, fleets=fleets))
        shares.append(one.share)
    assert shares == [None, 0.25, 0.5, 0.5, 0.75]
    assert badge([one]) == "● 1 job 75%, fleet 3"
    assert doing(one).startswith("simulating 3x  1/4  fleet 3 of about 3  0 s")


def test_the_time_left_is_that_of_the_fleet_and_at_most_of_those_that_may_follow() -> None:
    one = Task(title="plan chat", kind="plan", started=time.monotonic() - 20.0)
    one.report(Progress(message="simulating 7x", done=0, total=4, fleet=1))
    assert left_words(one) == ""
    one.report(Progress(message="simulating 7x", done=2, total=4, fleet=1))
    one.begun_at = 10.0
    assert left_words(one) == ">0:10 left"
    one.report(Progress(message="simulating 7x", done=4, total=4, fleet=1))
    assert left_words(one) == ""  # found: "41 s, >0:00 left"
    one.report(Progress(message="simulating 7x", done=2, total=4, fleet=1))
    one.begun_at = 10.0
    for done in (0, 1):
        one.report(Progress(message="simulating 8x", done=done, total=4, fleet=2, fleets=3))
    one.begun_at = 16.0
    assert one.lasted == (pytest.approx(10.0, abs=0.5),)
    assert left_words(one) == "0:12 to 0:25 left"
    for done in (0, 2):
        one.report(Progress(message="simulating 9x", done=done, total=4, fleet=3, fleets=3))
    one.begun_at = 18.0
    assert left_words(one) == "0:02 left"
    one.state = "done"
    assert left_words(one) == ""


def test_what_a_task_is_at_is_one_line() -> None:
    one = task(14, 30, "simulating H100 tp8 x7")
    one.ended = one.started + 6.4
    assert doing(one) == "simulating H100 tp8 x7  14/30  6 s"
    assert doing(replace(one, progress=Progress(message="searching"))) == "searching  6 s"
    assert doing(replace(task(), started=time.monotonic() - 61)).endswith("61 s")


def test_a_finished_plan_of_ones_own_needs_no_words(calm: AppState) -> None:
    assert status(calm) == ""


def test_what_is_shown_is_not_taken_for_another_thing(calm: AppState) -> None:
    assert calm.shown is not None
    calm.shown = replace(calm.shown, finished=False)
    assert status(calm) == "not finished: its work was stopped   R goes on"
    calm.shown = replace(calm.shown, label="shipped example, computed with 0.1.0")
    assert status(calm) == "shipped example, computed with 0.1.0   a asks your own question"
    calm.shown = None
    assert status(calm) == "reading the last plan"


def test_an_edit_names_what_it_changes_and_the_next_key(calm: AppState) -> None:
    calm.edit({"slo-ttft": "300ms"})
    assert status(calm) == "edited: slo-ttft 300ms   r plans it, u undoes"
    calm.edit({"rate": "", "gpu": ""})
    assert status(calm) == "edited: rate unset, slo-ttft 300ms and 1 more   r plans it, u undoes"
    calm.ask({"workload": "mooncake"})
    assert status(calm).startswith("a new question, not planned   r plans it")


def test_a_question_whose_plan_was_refused_says_why_until_it_is_edited(calm: AppState) -> None:
    refused = InputError("no GPU is large enough", value="l40s", remedy="another --gpu")
    calm.ask({"workload": "azure-2023-code", "gpu": "l40s"})
    calm.planned, calm.following = calm.draft, replace(task(), state="failed", error=refused)
    assert superseded_words(calm).splitlines()[:4] == [
        "NOT PLANNED   e edits the question", "", "x no GPU is large enough (got 'l40s')", "  do: another gpu"
    ]  # fmt: skip
    calm.following = replace(calm.following, error=KeyError("a bug"))
    assert superseded_words(calm).startswith(NOT_PLANNED)
    calm.following = replace(calm.following, error=refused)
    calm.edit({"gpu": "h100"})
    assert superseded_words(calm).startswith(NOT_PLANNED)


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_the_question_is_two_lines_that_fit(calm: AppState, width: int) -> None:
    lines = question_lines(calm.draft, width).split("\n")
    assert len(lines) == 2
    assert all(len(line) <= width for line in lines)
    assert lines[0].startswith("question  workload azure-2023-conv")


def test_the_question_marks_what_differs_from_the_plan(calm: AppState) -> None:
    calm.edit({"users": "20000", "requests-per-user": "6/h", "tp": "8"})
    first, second = question_lines(calm.draft, 160).split("\n")
    assert "  20000 users x 6/h*  " in first
    assert "rate" not in first
    assert "gpu h100  tp 8*  slo-ttft 0.5s" in second
    calm.ask({"workload": "mooncake"})
    assert "*" not in question_lines(calm.draft, 160)
    assert "gpu any" in question_lines(calm.draft, 160)


def test_the_question_tells_how_sure_it_is_to_be_at_80_columns(calm: AppState) -> None:
    """Found: what decided the answer stood nowhere, while tp auto did."""
    calm.ask({"workload": "azure-2023-conv", "gpu": "h100", "slo-ttft": "1s", "slo-tpot": "60ms", "confidence": "90%"})
    assert "confidence 90%" in question_lines(calm.draft, 80)


def test_the_question_tells_what_a_gpu_costs_before_it_is_planned(calm: AppState) -> None:
    """Found: a price that was typed stood nowhere until the plan was made."""
    calm.edit({"price": "h100=2.10"})
    assert "  price h100=2.10*" in question_lines(calm.draft, 80)
    calm.ask({"workload": "azure-2023-conv", "gpu": "h100", "slo-ttft": "1s", "price-class": "aws/us-east-1/spot"})
    assert "  price-class aws/us-east-1/spot" in question_lines(calm.draft, 80)
    assert "  price " not in question_lines(calm.draft, 160), "the list's are the class's"


def test_the_question_tells_the_peak_and_the_hits_at_80_columns(calm: AppState) -> None:
    """Seen: "users 2k  requests-per-user 12/h" of a question with a peak of 2 and a quarter of its prompts cached."""
    calm.edit({"users": "2000", "requests-per-user": "12/h", "peak-factor": "2", "prefix-hit": "25%"})
    first = question_lines(calm.draft, 80).split("\n")[0]
    assert first == "question  workload azure-2023-conv  2000 users x 12/h x 2*  prefix-hit 25%*"


@pytest.mark.parametrize(
    ("demand", "taken", "told"),
    [
        ({"users": "2000", "requests-per-user": "12/h", "peak-factor": "2"}, "peak-factor", "2000 users x 12/h*"),
        ({"tokens": "3e9/day", "peak-hour": "20%"}, "peak-hour", "tokens 3e9/day*"),
        ({"concurrency": "400", "think": "20s"}, "think", "concurrency 400*"),
        ({"rate": "100/s"}, "rate", "as recorded*"),
    ],
)
def test_a_demand_from_which_something_was_taken_away_is_marked(demand: dict[str, str], taken: str, told: str) -> None:
    base = {"workload": "azure-2023-conv", **demand}
    draft = Draft(texts=base, base=base, parent=ROW.id)
    assert "*" not in question_lines(draft, 160)
    assert f"  {told}" in question_lines(draft.set({taken: ""}), 160).split("\n")[0]


def test_the_question_of_several_workloads_is_two_lines_that_fit(calm: AppState) -> None:
    asked = replace(calm.draft.question(), workload="azure-2023-conv")
    entries = tuple(Entry(name=name, question=asked) for name in ("chat", "code", "search"))
    question = JointQuestion(name="three", entries=entries, limits=SharedLimits(max_gpus=(("h100", 64),)))
    first, second = joint_lines(question, 80).split("\n")
    assert first == "question  chat 100/s + code 100/s + search 100/s"
    assert second.strip() == "least cost; stock of H100 64"
    assert joint_lines(question, 40).split("\n")[0] == "question  chat 100/s + code 100/s + sea…"


def test_the_question_of_a_fleet_that_was_given_has_its_gpus(calm: AppState) -> None:
    """Of one that was searched for what the search might choose from; an edit goes before."""
    assert calm.shown is not None
    asked, (own, *_) = replace(ASKED, gpus=()), samples.answer().candidates
    answer = replace(samples.answer(), answer=own, candidates=(own,), excluded=())
    shown, draft = replace(calm.shown, question=asked, answer=answer), Draft.of(asked, parent=ROW.id)
    gpu, tp = (",".join(dict.fromkeys(str(getattr(pool, name)) for pool in own.fleet.pools)) for name in ("gpu", "tp"))

    def second(draft: Draft, shown: Shown | None) -> str:
        return question_lines(draft, 160, shown).split("\n")[1]

    assert f"gpu {gpu} given  " in second(draft, shown)
    assert f"tp {tp} given" in second(draft, shown)
    assert f"gpu a100*  slo-ttft 0.5s  tp {tp} given" in second(draft.set({"gpu": "a100"}), shown)
    (first, *others) = own.fleet.pools
    staged = replace(own, fleet=replace(own.fleet, pools=(replace(first, pp=2), *others)))
    with_stages = replace(shown, answer=replace(answer, answer=staged, candidates=(staged,)))
    assert " pp " not in second(draft, shown)
    assert f"tp {tp} given  pp 2,1 given" in second(draft, with_stages)
    for searched in (replace(shown, question=ASKED), None):
        assert second(draft, searched) == second(draft, None)
    assert second(Draft.of(asked), shown) == second(draft, None), "another question than the plan's"


def test_the_question_tells_stages_where_a_replica_has_some(calm: AppState) -> None:
    assert " pp " not in question_lines(calm.draft, 160)
    calm.edit({"pp": "2"})
    assert "pp 2*" in question_lines(calm.draft, 160)


def test_the_question_tells_an_unusual_router_and_order(calm: AppState) -> None:
    calm.edit({"router": "random", "admission": "shortest"})
    second = question_lines(calm.draft, 80).split("\n")[1]
    assert second.strip() == "gpu h100  slo-ttft 0.5s  router random*  admission shortest*  tp auto"


def test_the_question_tells_how_many_requests_wait_behind_the_others(calm: AppState) -> None:
    assert "batch-share" not in question_lines(calm.draft, 160)
    calm.edit({"batch-share": "30%"})
    assert "batch-share 30%*" in question_lines(calm.draft, 80).split("\n")[0]


def test_how_a_task_ended() -> None:
    one = task()
    one.ended = one.started + 12.2
    seen = simulated(samples.answer(holds=0.9))
    one.question = ASKED
    assert ended(replace(one, answer=seen)) == "plan chat: PASS  12 H100 + 4 A100  $71/h  12 s"
    assert ended(replace(one, answer=samples.infeasible())) == "plan chat: INFEASIBLE  12 s"
    assert "stopped" in ended(one)


def simulated(answer: Answer) -> Answer:
    """Return the same with a simulation behind its fleet."""
    assert answer.answer is not None
    return replace(answer, answer=replace(answer.answer, evidence=samples.simulated()))


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (simulated(samples.answer(holds=0.9)), "PASS"),
        (simulated(samples.answer(holds=0.61)), "PASS at nominal speed"),
        (samples.answer(holds=0.61), "~PASS at nominal speed"),
        (samples.answer(), "PASS by formula"),
    ],
)
def test_a_plan_that_is_not_sure_is_nowhere_a_bare_pass(calm: AppState, answer: Answer, word: str) -> None:
    """Found: PASS of an earlier question, whose page and list say that it is one at nominal speed."""
    assert calm.shown is not None
    calm.shown = replace(calm.shown, answer=answer)
    calm.ask({"workload": "mooncake"})
    assert f"another question: {word}, 12 H100" in superseded_words(calm)
    assert ended(replace(task(), answer=answer, question=ASKED)).startswith(f"plan chat: {word}  12 H100")


def test_a_plan_that_is_worked_on_is_not_called_stopped(calm: AppState) -> None:
    """Found by trying: views 3 to 5 called a plan stopped while its fleets were simulated."""
    assert calm.shown is not None
    calm.shown = replace(calm.shown, finished=False, label="")
    calm.draft = Draft.of(calm.shown.question)
    calm.thread.tasks.append(replace(task(message="simulating"), state="running", plan=calm.shown.plan))
    assert status(calm).startswith("simulating")
    assert status(calm).endswith("x stops it")


def test_a_plan_whose_work_is_done_is_not_called_stopped(calm: AppState) -> None:
    assert calm.shown is not None
    calm.shown = replace(calm.shown, finished=False, label="")
    calm.draft = Draft.of(calm.shown.question)
    assert status(calm).startswith("not finished: its work was stopped")
    calm.thread.tasks.append(replace(task(), state="done", plan=calm.shown.plan))
    assert status(calm) == "done; its answer is being read"
    calm.thread.tasks[:] = [replace(task(), state="done", plan=calm.shown.plan, kind="verify")]
    assert status(calm).startswith("not finished: its work was stopped"), "a proof finishes no plan"
