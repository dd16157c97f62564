"""Take what a kept backtest corrects into a question: another rate, or a fit of the step times that were seen."""

from __future__ import annotations

from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.backtest import keep_fit
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.backtest.kept import backtest_of
from fleettui.reports.backtest.note import corrected_rows, fit_of, is_of_load
from fleettui.reports.backtest.sentences import HOLDS
from fleettui.reports.question.conversion import FIT

CORRECT = "--correct"
"""The option that names the study."""

KEEP = "fleettui show {} says why; a backtest with --keep NAME keeps what it saw, for --profile"
ENDS = "fleettui show {} says why; observe three figures, with ends where not known so well: ttft.p99=250ms..500ms"
"""What to do about a backtest that corrects nothing: one whose prediction holds, and any other."""


async def take_correction(desk: StudyContext, ref: str) -> dict[str, str]:
    """Return the texts of the question's keys that take in what the backtest `ref` corrects.

    Step times are kept as a fit that bears the study's handle, so that a plan with it says where they come from. Raises
    InputError for a study that corrects nothing, or nothing that a question says.
    """
    study = desk.store.study(ref)
    if study.kind != "backtest":
        raise _refusal("this is no backtest", study, "fleettui list --studies lists them")
    if not corrected_rows(study):
        holds = study.sentences[0].startswith(HOLDS)
        raise _refusal("it corrects nothing", study, (KEEP if holds else ENDS).format(study.handle))
    if is_of_load(study):
        return {"rate": str(corrected_rows(study)[0][-1])}
    kept = FinishedPlan.get(desk.store, study.plan)
    name = fit_of(study)
    if why := await keep_fit(desk, kept, backtest_of(study, kept.answer), name, CORRECT):
        raise _refusal(f"it cannot be taken into a plan: {why}", study, f"fleettui show {study.handle} says more")
    return {FIT: name}


def _refusal(what: str, study: Study, remedy: str) -> InputError:
    return InputError(what, where=CORRECT, value=study.handle, remedy=remedy)
