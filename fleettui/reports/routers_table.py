"""The routers of a kept study beside each other in one table, as the app shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fleettui.domain.study import Cell, Study
from fleettui.reports import units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.durations import seconds_alike
from fleettui.reports.studies import subject as words_of
from fleettui.reports.studies.routers import LEFT_OUT
from fleettui.reports.table import Table
from fleettui.reports.taken import Taken

WIDE = 110
"""From how many columns on the table says of TPOT too what changes, and what each router looks at."""
SHORT = 8
"""Letters of a router that the heads of narrow columns have room for: of a longer one they say its mark."""
Row = dict[str, dict[str, Cell]]
"""What the study's tables say of one router, by `ttft`, `tpot`, `fleet` and, where prefixes are cached, `hits`."""
TABLES = ("ttft", "tpot", "fleet", "hits")


def routers_table(study: Study, width: int) -> Table:
    """Return a row per router of a study of kind `routers`; the plan's own is marked, and with ~ what is by formula."""
    parts = zip(*(one.records() for one in study.tables if one.title != LEFT_OUT), strict=True)
    rows = [dict(zip(TABLES, part, strict=False)) for part in parts]
    own = next((str(row["ttft"]["router"]) for row in rows if not _is_other(row["ttft"])), "the plan's")
    caches = all("hits" in row for row in rows)
    columns: list[Column[Row]] = [
        words("  router", lambda row: f"{' ' if _is_other(row['ttft']) else '>'} {row['ttft']['router']}"),
        figure("TTFT", lambda row: _number(row["ttft"]["ttft"]), units.seconds),
        words(f"against {own if width >= WIDE or len(own) <= SHORT else '>'}", _against(rows, "ttft")),
        figure("TPOT", lambda row: _number(row["tpot"]["tpot"]), units.seconds),
        figure("SLO met", lambda row: _number(row["fleet"]["slo_met"]), units.percent),
        figure(
            "GPUs" if caches and width < WIDE else "needs GPUs",
            lambda row: _number(row["fleet"]["gpus"]),
            units.count,
            sign=lambda row: "~" if row["fleet"]["proof"] == words_of.proof(False) else "",
        ),
        figure("$/h", lambda row: _number(row["fleet"]["cost_per_hour"]), units.hourly),
        words("proof", lambda row: str(row["fleet"]["proof"] or ""), if_room=True),
    ]
    if caches:
        hits: Column[Row] = figure("hits", lambda row: _number(row["hits"]["hits"]), units.percent)
        columns[3 if width < WIDE else 4 : 4] = [hits]
    if width >= WIDE and caches:
        columns.insert(5, words("against it", lambda row: _hits_against(row["hits"])))
    elif width >= WIDE:
        columns.insert(4, words("against it", _against(rows, "tpot")))
        columns.append(words("looks at", lambda row: str(row["fleet"]["looks_at"])))
    return table(columns, rows)


def routers_to_take(study: Study) -> tuple[Taken, ...]:
    """Return the other routers of a study of kind `routers`, as they are printed, as what they are in a question."""
    latencies, fleets = study.tables[0].records(), study.tables[2].records()
    return tuple(
        Taken(words=_needs(latency, needed), texts=_texts(needed))
        for latency, needed in zip(latencies, fleets, strict=True)
        if _is_other(latency)
    )


def left_out(study: Study) -> list[str]:
    """Return a line for each router of a study that does not apply: why, and what to do for it to apply."""
    rows = [row for one in study.tables if one.title == LEFT_OUT for row in one.records()]
    return [f"{row['router']} {row['why']}: {row['remedy']}" for row in rows]


def _texts(needed: dict[str, Cell]) -> dict[str, str]:
    """Return a router as it stands in a question, with the factor by which it compresses."""
    gamma = _number(needed.get("gamma"))
    found = {"router": str(needed["router"])}
    return found | {"gamma": f"{gamma:g}"} if gamma is not None and gamma > 1.0 else found


def _needs(latency: dict[str, Cell], needed: dict[str, Cell]) -> str:
    """Return what a router comes to in a line: its TTFT on the plan's fleet, and the GPUs that it needs."""
    gpus, cost = _number(needed["gpus"]), _number(needed["cost_per_hour"])
    fleet = "no size holds" if gpus is None or cost is None else f"{gpus:g} GPUs  {units.dollars_per_hour(cost)}"
    return f"{latency['router']}  TTFT {units.seconds(_number(latency['ttft']))}, {latency['it_is']}  {fleet}"


def _is_other(row: dict[str, Cell]) -> bool:
    return row["change"] is not None


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, int | float) else None


def _hits_against(row: dict[str, Cell]) -> str:
    """Return what a router changes in the share of hits in words: more, 12%; nothing where it is the plan's."""
    change = _number(row["change"])
    if change is None:
        return ""
    proven = row["they_are"] in {"more", "fewer"}
    return f"{row['they_are']}, {units.percent(abs(change))}" if proven else str(row["they_are"])


def _against(rows: Sequence[Row], name: str) -> Callable[[Row], str]:
    """Return what tells of a router what it changes in words: slower, 0.26 s; nothing where it is the plan's."""
    write = seconds_alike(_number(row[name]["change"]) for row in rows)

    def tell(row: Row) -> str:
        change, it_is = _number(row[name]["change"]), str(row[name]["it_is"])
        if change is None:
            return ""
        return f"{it_is}, {write(abs(change))}" if it_is in {"slower", "faster"} else it_is

    return tell
