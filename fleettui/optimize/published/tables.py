"""All published tables, and how a person names one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from fleettui.errors import UnknownNameError
from fleettui.optimize.published import fleet_sim, fleet_sim_more, fleetopt, reference, routers
from fleettui.optimize.published.cell_questions import Published

TABLES: tuple[Published, ...] = (
    *fleetopt.TABLES,
    *fleet_sim.TABLES,
    *fleet_sim_more.TABLES,
    *reference.TABLES,
    *routers.TABLES,
)
PAPERS = {
    "FO": ("fo", "f", "fleetopt"),
    "IFS": ("ifs", "i", "fleetsim", "inferencefleetsim"),
    "DOC": ("doc", "d", "reference", "modelreference"),
    "FR": ("fr", "frontier"),
}
PARTS = {
    "T": ("t", "tab", "table", ""),
    "Fig. ": ("fig", "figure"),
    "Eq. ": ("eq", "equation"),
    "": ("", "s", "sec", "section"),
}


def named(text: str) -> Published:
    """Return the table that `text` names, whatever its case, blanks and signs; raises UnknownNameError.

    >>> [named(text).title for text in ("fo t3", "ft3", "FleetOpt, Table 3", "IFS9", "fo7.4", "eq. 6", "DOC §1")]
    ['FO T3', 'FO T3', 'FO T3', 'IFS T9', 'FO 7.4', 'IFS Eq. 6', 'DOC 1']
    """
    title = title_named(text, [table.title for table in TABLES])
    return next(table for table in TABLES if table.title == title)


def title_named(text: str, titles: Sequence[str]) -> str:
    """Return that of `titles` which `text` names; raises UnknownNameError.

    >>> title_named("frontier fig 21", ["FO T3", "FR Fig. 21"])
    'FR Fig. 21'
    """
    wanted = _plain(text)
    for title in titles:
        if wanted in _spellings(title):
            return title
    raise UnknownNameError("published table", text, titles, listing="fleettui published --help")


def _spellings(title: str) -> set[str]:
    """Return every way to write a title: the paper's names, the words for table, equation and section, the number."""
    paper, rest = title.split(" ", maxsplit=1)
    part = next(part for part in PARTS if rest.startswith(part))
    number = _plain(rest.removeprefix(part))
    papers = (*PAPERS[paper], "") if part == "Eq. " else PAPERS[paper]
    return {"".join(words) for words in product(papers, PARTS[part], (number,))}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
