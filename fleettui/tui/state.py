"""What all views share: the plan that is shown, the question being edited, the work that goes on. No Textual here."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from fleettui.tui.question_draft import Draft
from fleettui.tui.work_kinds import FOLLOW

if TYPE_CHECKING:
    from fleettui.domain.job import Job
    from fleettui.domain.joint import JointQuestion
    from fleettui.domain.plan import Answer, Candidate
    from fleettui.domain.workload import Workload
    from fleettui.tui.shown import Shown
    from fleettui.tui.task import Task, Tools
    from fleettui.tui.use_case_thread import UseCaseThread
    from store import Store

HELD = 400
"""Candidates that a plan on screen holds for its plot; the table reads all of them by itself."""
OWN = ("plan", "simulate")
"""Kinds of work that ask the question that is edited; others would take its edits away with it."""
Work: TypeAlias = "Callable[[Tools], Coroutine[Any, Any, Answer]]"


class AppState:
    """The state that all views share. Whoever changes it calls `changed` once afterwards.

    `defaults` reads what the settings say of a question that is silent.
    """

    def __init__(
        self,
        *,
        thread: UseCaseThread,
        defaults: Callable[[], Mapping[str, str]] = dict,
        shown: Shown | None = None,
        draft: Draft | None = None,
    ) -> None:
        self.thread, self.defaults, self.shown, self.draft = thread, defaults, shown, draft or Draft()
        self.earlier: list[Draft] = []
        self.marks: frozenset[str] = frozenset()
        self.following: Task | None = None
        self.planned: Draft | None = None
        self.known: dict[str, Workload] = {}
        self.together: Mapping[str, str] = {}
        """The lines in which several models were asked for last, empty where a question of one came after, or a plan
        was opened."""
        self.joint: JointQuestion | None = None
        """The several workloads that are planned together just now."""
        self.today = ""
        """The fleet that was typed last to be simulated, empty where none was, or a plan is shown since."""
        self.listeners: list[Callable[[], None]] = []
        self.turns = count(1)
        """Numbers of what is read for the screen: a result that is older than the last request is not shown."""
        self.opening = self.choosing = self.read = 0
        """The numbers of the last requests for a plan and for a candidate, and of what is shown."""

    def changed(self) -> None:
        """Tell every listener that what lies here is another."""
        for listener in self.listeners:
            listener()

    def show_example(self) -> None:
        """Show the plan that is shipped, labelled as such."""
        from fleettui.planning.example import example
        from fleettui.tui.shown import Shown

        answer, question, version = example()
        self.shown = Shown(answer=answer, question=question, label=f"shipped example, computed with {version}")
        self.draft = Draft.of(question)
        self.earlier.clear()
        self.changed()

    async def open_plan(self, ref: str) -> Shown:
        """Show a stored plan and begin to edit its question; no work is followed to another plan from here on.

        Raises InputError when there is no such plan.
        """
        self.following, self.together = None, {}
        shown = await self._open(ref, keep=False)
        if shown.elsewhere is not None and not any(task.plan == shown.plan for task in self.thread.alive):
            self._adopt(shown.elsewhere)
        return shown

    def _adopt(self, job: Job) -> None:
        """Follow on the screen what another process does, which may be what an app before this one left."""
        from fleettui.planning.follow_job import follow_job

        async def work(tools: Tools) -> Answer:
            return await follow_job(tools.store, job.id, report=tools.task.report, begun=tools.task.begun)

        self.thread.begin(job.title, FOLLOW, work)
        self.changed()

    async def show_work(self, task: Task) -> None:
        """Show what a task came to so far, if its plan is on screen or it is followed there; edits since then stay."""
        if self.shown is not None and self.shown.plan == task.plan:
            await self.reload()
        elif self.following is task and (task.kind in OWN or not self.edited):
            await self._open(task.plan, keep=self.moved_on)
        else:
            self.changed()

    async def _open(self, ref: str, *, keep: bool) -> Shown:
        turn = self.opening = next(self.turns)
        shown = await self.thread.read(lambda store: _look(store, ref))
        if turn == self.opening:
            if not keep and (self.shown is None or self.shown.plan != shown.plan):
                self.draft = Draft.of(shown.question, parent=shown.plan)
                self.earlier.clear()
            self.shown, self.read, self.today = shown, turn, ""
            self.changed()
        return shown

    async def reload(self) -> None:
        """Read the shown plan again, as when its proof has grown; what is being edited and looked at stays."""
        before = self.shown
        if before is None or before.row is None:
            return
        plan, chosen, turn = before.plan, before.chosen, next(self.turns)
        shown, found = await self.thread.read(
            lambda store: (_look(store, plan), None if chosen is None else store.candidate(chosen.candidate))
        )
        if self.shown is not None and self.shown.plan == plan and turn > self.read:
            same = self.shown.chosen is chosen
            self.shown, self.read = replace(shown, chosen=found if same else self.shown.chosen), turn
            self.changed()

    async def choose(self, ref: str) -> None:
        """Look at a candidate of the shown plan; its answer is the plan itself again."""
        shown, turn = self.shown, next(self.turns)
        if shown is None:
            return
        self.choosing, best, found = turn, shown.answer.answer, None
        if ref and (best is None or ref != best.candidate):
            known = {one.candidate: one for one in shown.answer.candidates} if shown.row is None else {}
            found = known.get(ref) or await self.thread.read(lambda store: store.candidate(ref))
        if self.choosing == turn and self.shown is not None and self.shown.plan == shown.plan:
            self.shown = replace(self.shown, chosen=found)
            self.changed()

    def edit(self, texts: Mapping[str, str]) -> None:
        """Change keys of the question; raises InputError for a text that does not read, and nothing changes then."""
        draft = self.draft.set(texts)
        if draft != self.draft:
            self.earlier.append(self.draft)
            self.draft = draft
            self.changed()

    def ask(self, texts: Mapping[str, str]) -> None:
        """Begin a question of its own: the settings' defaults, and `texts`."""
        draft = Draft().set(self.defaults()).set(texts)
        self.earlier.append(self.draft)
        self.draft = draft
        self.changed()

    async def workload(self, source: str) -> Workload:
        """Return a shipped workload, or that of a file, which a worker reads; each is read once."""
        if source not in self.known:
            from fleettui.planning.workloads import show_workload

            self.known[source] = await self.thread.run(lambda pool: show_workload(source, pool=pool))
        return self.known[source]

    def undo(self) -> bool:
        """Take the last edit back; return whether there was one."""
        if not self.earlier:
            return False
        self.draft = self.earlier.pop()
        self.changed()
        return True

    @property
    def beside(self) -> dict[str, str]:
        """What the question says, but for its name, that no new one would; of the shipped example what was edited."""
        from fleettui.reports.question.also_line import NAME

        own, draft = self.shown is None or self.shown.row is not None, self.draft
        found = draft.beside(self.defaults())
        return {name: text for name, text in found.items() if name != NAME and (own or name in draft.changed)}

    @property
    def edited(self) -> bool:
        """Whether the question differs from that of the plan which is shown."""
        return bool(self.draft.changed)

    @property
    def asking(self) -> bool:
        """Whether the question is a new one, of no plan."""
        return bool(self.draft.texts) and not self.draft.base

    @property
    def superseded(self) -> bool:
        """Whether the plan that was shown last answers another question: a new one is asked, or one is searched."""
        shown, task = self.shown, self.following
        if shown is None:
            return False
        begun = task is not None and task.kind in OWN and (task.alive or bool(task.plan))
        other = begun and task is not None and task.plan != shown.plan
        return self.asking or self.joint is not None or other

    def plan(self) -> Task:
        """Plan the question, prove the answer, and follow the work; raises InputError for what is no question."""
        from fleettui.planning.make_plan import make_plan

        question, parent = self.draft.question(), self.draft.parent if self.edited else ""

        async def work(tools: Tools) -> Answer:
            return await make_plan(question, parent=parent, **tools.given)

        return self.follow(f"plan {question.workload or 'lengths by percentile'} {question.model}", "plan", work)

    def prove(self, candidate: Candidate, precision: float) -> Task:
        """Add proof to a stored candidate until its interval is `precision` wide."""
        from fleettui.planning.verify import verify

        async def work(tools: Tools) -> Answer:
            return await verify(ref=candidate.candidate, precision=precision, **tools.given)

        return self.follow(f"verify {candidate.handle}", "verify", work)

    def resume(self, ref: str, title: str) -> Task:
        """Go on with a stored job that was stopped."""
        from fleettui.planning.resume_job import resume_job

        async def work(tools: Tools) -> Answer:
            return await resume_job(ref=ref, **tools.given)

        return self.follow(title, "resume", work)

    async def cancel(self, task: Task) -> None:
        """Stop a task; its job, once it has one, is told through the store, as from any other program."""
        job = task.job
        if job is None:
            self.thread.cancel(task)
        elif task.alive:
            task.stop_asked()
            await self.thread.read(lambda store: store.request_cancel(job.id))

    @property
    def moved_on(self) -> bool:
        """Whether the question was edited since the work began that is followed."""
        return self.planned is not None and self.planned != self.draft

    def task_of(self, plan: str) -> Task | None:
        """Return the newest task that is at work on a plan, None where none is."""
        return next((task for task in reversed(self.thread.alive) if task.plan == plan), None)

    def is_stopped(self, shown: Shown) -> bool:
        """Whether the work on a plan, be it more proof, was stopped and nobody is at work on it now."""
        states = [task.state for task in self.thread.tasks if task.plan == shown.plan]
        stopped = not shown.finished or states[-1:] in (["cancelled"], ["failed"])
        return stopped and "running" not in states

    def follow(self, title: str, kind: str, work: Work) -> Task:
        """Begin work, whose plan is shown as soon as it has one, unless another is opened meanwhile."""
        self.planned = self.draft
        self.following = self.thread.begin(title, kind, work)
        self.changed()
        return self.following


def _look(store: Store, ref: str) -> Shown:
    from fleettui.planning.follow_job import job_elsewhere
    from fleettui.planning.joint_left import beside_others
    from fleettui.tui.shown import Shown

    row = store.row(ref)
    return Shown(
        answer=beside_others(store, store.plan(row.id, most=HELD)),
        question=store.question(row.id),
        workload=store.workload_of(row.id),
        row=row,
        finished=store.is_finished(row.id),
        elsewhere=job_elsewhere(store, row.id),
        studies=store.count_studies(),
        money=next(iter(store.studies(1, row.id, kind="money")), None),
    )
