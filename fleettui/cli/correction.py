"""What `--correct` adds to the options that were typed: the question's keys that take in what a backtest corrects."""

from __future__ import annotations

from fleettui.errors import InputError
from fleettui.reports.question.conversion import Given, Texts


def corrections(study: str | None, typed: Texts, workers: int | None, cluster: str | None) -> dict[str, Given]:
    """Return the texts that take in what a backtest corrects, none without one.

    Raises InputError where they are typed as well.
    """
    if study is None:
        return {}
    from fleettui.cli.worker_progress import answer_from_store
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.planning.take_correction import CORRECT, take_correction

    taken = answer_from_store(
        lambda store, report, pool: take_correction(StudyContext(store, pool, report), study), workers, cluster
    )
    for name, text in taken.items():
        if name in typed:
            raise InputError(
                f"study {study} says {text}", where=f"--{name}", value=typed[name].text, remedy=f"leave out --{name}"
            )
    return {name: Given(text, f"{CORRECT} {study}") for name, text in taken.items()}
