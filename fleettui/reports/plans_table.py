"""The list of plans as a table: printed, and in the app."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fleettui.domain.plan_row import PlanRow
from fleettui.reports import confidence_text, fleet_text, moments, redundancy_text, slo_text, units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.row_fleet import gpus_by_type, shown
from fleettui.reports.table import Table
from fleettui.reports.verdict_words import METHOD_WORDS, NOMINAL, is_too_few, verdict_word

UNFINISHED, NOT_YET = "NOT FINISHED", "NOT PROVEN YET"
"""What stands in place of a verdict: of a plan that is at work or was cut short, and where that has found something."""
OPEN, CUT_SHORT = "*", "!"
"""The signs before the plan that the other views show, and before one that has not come to its answer."""
_SPARES = re.compile(r"x(\d+)\+(\d+)")


def plans_table(rows: Iterable[PlanRow]) -> Table:
    """Return one row per plan, in the order given: what was asked, what it came to, and how that is known.

    Where plans are of several models, each one's stands in its question, which always has room.
    """
    found = list(rows)
    columns = plan_columns()
    if len({_model(row) for row in found}) > 1:
        at = [column.head and column.head.title for column in columns].index("model")
        asked: Column[PlanRow] = words("question", lambda row: question_words(row, model=_model(row)), wrap=True)
        columns = (*columns[: at - 1], asked, *columns[at + 1 :])
    return table(columns, found, note=_key(found))


def signed_table(rows: Iterable[PlanRow], opened: str, *, wide: bool) -> Table:
    """Return the same with each plan's sign before its name; `opened` is the id of the one that other views show.

    Not `wide`: a plan by its name, or else its workload and rate; how many of which GPU; a `~` for a formula.
    """
    name: Column[PlanRow] = words("  plan", lambda row: f"{_sign(row, opened)} {row.handle}")
    return table((name, *plan_columns(wide=wide, on_screen=True)[1:]), rows)


def plan_columns(*, wide: bool = True, on_screen: bool = False) -> tuple[Column[PlanRow], ...]:
    """Return the columns of plans, in whole words where they are `wide`; else the time goes first where room is short.

    The model is cut `on_screen`, where every row is a line; printed, where cells are never cut, it stands if there is
    room.
    """
    return (
        NAME,
        words("made (UTC)", lambda row: moments.day_and_minute(row.created), if_room=not wide),
        QUESTION if wide else words("question", _name_words, wrap=True),
        words("model", _model, wrap=on_screen, if_room=not on_screen),
        words("fleet", lambda row: shown(row.fleet), wrap=True) if wide else FLEET,
        COST,
        VERDICT if wide else words("verdict", _verdict_sign),
    )


def _key(rows: Sequence[PlanRow]) -> str:
    """Return what the first size with spares means, empty where no fleet has any."""
    first = next(filter(None, (_SPARES.search(row.fleet) for row in rows)), None)
    return "" if first is None else redundancy_text.key_of(int(first[1]), int(first[2]))


def _sign(row: PlanRow, opened: str) -> str:
    return OPEN if row.id == opened else " " if row.finished else CUT_SHORT


def _model(row: PlanRow) -> str:
    return f"{row.model} {row.dtype}".rstrip()


def question_words(row: PlanRow, model: str = "") -> str:
    """Return what a plan was asked, in one line, of its `model` where that is given.

    Such as chat: azure-2023-conv 100/s P99 TTFT<500ms 90% sure.
    """
    named = f"{row.name}: {row.workload}" if row.name else row.workload
    rate = "" if row.rate is None else f"{units.per_second(row.rate)}/s"
    slo = "" if row.slo is None else slo_text.limits(row.slo) or "no SLO"
    return " ".join(
        word for word in (named, rate, model, slo, _sure(row), "(archived)" if row.archived else "") if word
    )


def verdict_words(row: PlanRow) -> str:
    """Return what a plan came to, and by which method where that makes a difference: PASS simulated, ~PASS formula.

    Beside one that passes at nominal speed only stands the share of the cases in which it suffices: PASS simulated 61%;
    of a closed loop, of which that cannot be told, it says so itself, as its view does.
    Beside a fleet that was given stands what of it is spare or short: FAIL simulated, 8 short. Where no fleet is as
    sure as was wished, that is said: FAIL simulated, not 90% sure.
    """
    if not row.finished:
        return _open(row)
    word = _word(row)
    plain = row.verdict == "fail" or (row.verdict == "pass" and not row.untold)
    known = f"{word} {METHOD_WORDS.get(row.method, row.method)}" if plain else word
    return f"{known}{_share(row)}{_spare(row)}{confidence_text.missed(row.confidence, row.unmet)}"


def _name_words(row: PlanRow) -> str:
    rate = "" if row.rate is None else f"{units.per_second(row.rate)}/s"
    return " ".join(filter(None, (row.name or row.workload, "" if row.name else rate, _sure(row))))


def _sure(row: PlanRow) -> str:
    """Return how sure a plan was asked to be, empty where it was not."""
    return "" if row.confidence is None else f"{confidence_text.surely(row.confidence)} sure"


def _verdict_sign(row: PlanRow) -> str:
    if not row.finished:
        return _open(row)
    return f"{_word(row)}{_share(row)}{confidence_text.missed(row.confidence, row.unmet)}"


def _word(row: PlanRow) -> str:
    """Return the word of a verdict, with the sign of what only a formula says; without a limit a fleet keeps up."""
    sign = "~" if row.method == "formula" and row.verdict in ("pass", "fail") else ""
    return f"{sign}{verdict_word(row.verdict, row.slo)}"


def _open(row: PlanRow) -> str:
    return NOT_YET if row.so_far else UNFINISHED


def _share(row: PlanRow) -> str:
    """Return the share of the cases in which a plan that passes suffices, where that is too few to be called enough.

    Where it cannot be told, that it passes at nominal speed.
    """
    if row.verdict == "pass" and row.untold:
        return f" {NOMINAL}"
    if row.verdict != "pass" or row.holds is None or not is_too_few(row.holds):
        return ""
    return f" {confidence_text.surely(row.holds)}"


def _spare(row: PlanRow) -> str:
    """Return how many GPUs of a fleet that was given are spare, or how many it lacks."""
    return f", {units.count(abs(row.spare))} {'spare' if row.spare > 0 else 'short'}" if row.spare else ""


def gpu_totals(fleet: str) -> str:
    """Return how many of which GPU a stored plan's fleet has.

    >>> gpu_totals("2 h100 tp2x1 + 48 h100 tp8x6"), gpu_totals("12 h100 tp4x3 + 4 a100 tp4x1")
    ('50 H100', '12 H100 + 4 A100')
    """
    return fleet_text.counted(gpus_by_type(fleet).items())


NAME: Column[PlanRow] = words("plan", lambda row: row.handle)
QUESTION: Column[PlanRow] = words("question", question_words, wrap=True)
FLEET: Column[PlanRow] = words("fleet", lambda row: gpu_totals(row.fleet), wrap=True)
COST: Column[PlanRow] = figure("$/h", lambda row: row.cost_per_hour, units.hourly)
VERDICT: Column[PlanRow] = words("verdict", verdict_words)
SURE: Column[PlanRow] = figure("sure", lambda row: row.holds, confidence_text.surely)
"""What lists say of a plan: its handle, what was asked, how many of which GPU, and how sure these are."""
