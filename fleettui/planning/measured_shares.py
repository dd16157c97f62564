"""What a study of the compressor measured, looked up for a question that names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.scenario import Question
from fleettui.domain.study import Cell
from fleettui.errors import InputError

if TYPE_CHECKING:
    from store import Store

OPTION = "--compressible"
DIGITS, TIME_DIGITS = 4, 5
"""Decimals of a share and of seconds that a question keeps."""


def looked_up(question: Question, store: Store | Callable[[], Store]) -> Question:
    """Return `question` with what the study that it names measured; itself where it names none.

    A function as `store` is called only where there is something to look up. Raises InputError for a study of another
    kind, and for one that found nobody borderline.
    """
    named = question.compressor
    if named is None or named.is_known:
        return question
    found = _found(named.study, store() if callable(store) else store)
    return replace(question, compressible=found.share, compressor=found)


def _found(ref: str, store: Store) -> MeasuredShare:
    study = store.study(ref)
    if study.kind != "compress":
        raise InputError(
            f"{study.handle} is a study of kind {study.kind}",
            where=OPTION,
            value=ref,
            accepted="a share, or a study of fleettui compress",
        )
    (band,) = study.tables[0].records()
    share, low, high, seconds = (_figure(band[name]) for name in ("p_c", "low", "high", "p99"))
    if share is None or low is None or high is None:
        raise InputError(
            f"study {study.handle} found nobody borderline",
            where=OPTION,
            value=ref,
            remedy="compress prompts whose totals lie between the split and gamma splits",
        )
    return MeasuredShare(
        study=study.handle,
        share=round(share, DIGITS),
        low=round(low, DIGITS),
        high=round(high, DIGITS),
        split=int(_figure(band["split"]) or 0),
        gamma=_figure(band["gamma"]) or 1.0,
        seconds=round(seconds or 0.0, TIME_DIGITS),
        mean_seconds=round(_figure(band.get("mean")) or 0.0, TIME_DIGITS),
    )


def _figure(cell: Cell) -> float | None:
    return cell if isinstance(cell, int | float) else None
