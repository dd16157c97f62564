"""Whether an answer still holds, as Markdown for a pull request: the head, what was tested, why, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from fleettui.reports import units
from fleettui.reports.confidence_text import surely
from fleettui.reports.findings import (
    BASELINE_COST,
    BASELINE_FLEET,
    BASELINE_GPUS,
    CONFIDENCE,
    COST,
    LATENCY,
    VERDICT,
    Finding,
)
from fleettui.reports.markdown import plain, table_markdown
from fleettui.reports.table import Head, Table

WRITTEN: Mapping[str, Callable[[float], str]] = {
    "s": units.seconds,
    "USD/h": units.cents_per_hour,
    "GPUs": units.count,
    "share": surely,
}
"""How a value is written by its unit."""
NAMES: Mapping[str, str] = {
    VERDICT: "verdict",
    LATENCY: "",
    CONFIDENCE: "sure, at least",
    COST: "cost, at most",
    BASELINE_GPUS: "GPUs, as before",
    BASELINE_COST: "cost, as before",
    BASELINE_FLEET: "fleet, as before",
}
"""What a row is called by its code; a latency by what it is."""
COLUMNS = (Head(title="tested"), Head(title="limit"), Head(title="now"), Head(title="holds"))


def check_markdown(head: str, findings: Sequence[Finding], *, why: Sequence[str], notes: Iterable[str]) -> str:
    """Return `head` as a title, a row for each thing that was tested, the changes `why`, and `notes`."""
    although = "It holds although:" if all(one.holds for one in findings) else "What changed:"
    rows = tuple((_named(one), _limit(one), _now(one), _holds(one)) for one in findings)
    blocks = (
        f"### fleettui check: {plain(head)}",
        table_markdown(Table(columns=COLUMNS, rows=rows)),
        although if why else "",
        "\n".join(f"- {plain(one)}" for one in why),
        "\n".join(f"> {plain(one)}" for one in notes),
    )
    return "\n\n".join(filter(None, blocks))


def _named(one: Finding) -> str:
    return f"{NAMES[one.code]} {one.subject}".strip()


def _limit(one: Finding) -> str:
    return one.limit_words or _value(one.limit, one)


def _now(one: Finding) -> str:
    return one.value_words or _value(one.value, one)


def _value(value: float | str | None, one: Finding) -> str:
    if value is None:
        return units.UNDEFINED
    return value if isinstance(value, str) else WRITTEN[one.unit](value)


def _holds(one: Finding) -> str:
    return "yes" if one.holds else f"no: {one.text}"
