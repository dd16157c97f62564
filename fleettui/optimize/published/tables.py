"""All published tables, and how a person names one."""

from __future__ import annotations

import re
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
}
PARTS = {"T": ("t", "tab", "table", ""), "Eq. ": ("eq", "equation"), "": ("", "s", "sec", "section")}


def named(text: str) -> Published:
    """Return the table that `text` names, whatever its case, blanks and signs; raises UnknownNameError.

    >>> [named(text).title for text in ("fo t3", "ft3", "FleetOpt, Table 3", "IFS9", "fo7.4", "eq. 6", "DOC §1")]
    ['FO T3', 'FO T3', 'FO T3', 'IFS T9', 'FO 7.4', 'IFS Eq. 6', 'DOC 1']
    """
    wanted = _plain(text)
    for table in TABLES:
        if wanted in _spellings(table.title):
            return table
    raise UnknownNameError(
        "published table", text, [table.title for table in TABLES], listing="fleettui published --help"
    )


def _spellings(title: str) -> set[str]:
    """Return every way to write a title: the paper's names, the words for table, equation and section, the number."""
    paper, rest = title.split(" ", maxsplit=1)
    part = next(part for part in PARTS if rest.startswith(part))
    number = _plain(rest.removeprefix(part))
    papers = (*PAPERS[paper], "") if part == "Eq. " else PAPERS[paper]
    return {"".join(words) for words in product(papers, PARTS[part], (number,))}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
