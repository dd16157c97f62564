"""All published tables, and how a person names one."""

from __future__ import annotations

from fleettui.domain.published_titles import title_named
from fleettui.optimize.published import fleet_sim, fleet_sim_more, fleetopt, reference, routers
from fleettui.optimize.published.cell_questions import Published

TABLES: tuple[Published, ...] = (
    *fleetopt.TABLES,
    *fleet_sim.TABLES,
    *fleet_sim_more.TABLES,
    *reference.TABLES,
    *routers.TABLES,
)


def named(text: str) -> Published:
    """Return the table that `text` names, whatever its case, blanks and signs; raises UnknownNameError.

    >>> [named(text).title for text in ("fo t3", "ft3", "FleetOpt, Table 3", "IFS9", "fo7.4", "eq. 6", "DOC §1")]
    ['FO T3', 'FO T3', 'FO T3', 'IFS T9', 'FO 7.4', 'IFS Eq. 6', 'DOC 1']
    """
    title = title_named(text, [table.title for table in TABLES])
    return next(table for table in TABLES if table.title == title)
