"""The title over a plan's candidates: how many fleets are listed, and how."""

from __future__ import annotations

from fleettui.reports import units
from fleettui.reports.candidates_table import ESTIMATED
from fleettui.tui.tabs.listing import ORDERS, Listing


def candidates_title(listing: Listing, *, count: int, total: int, answered: bool, chosen: str, width: int) -> str:
    """Return how many fleets of `total` candidates are listed, and how; what does not fit is left out from the right.

    `answered` says whether one of them is the plan's answer, `chosen` is the handle of the one that is looked at, empty
    where that is the answer; `width` is in columns.
    """
    fleets = "" if listing.every or count == total else f" fleet{'' if count == 1 else 's'}"
    of = f" of {units.count(total)}" if count < total else ""
    order = f"{ORDERS[listing.order]}{', reversed' if listing.reverse else ''}"
    marked = "* answer" if answered and not chosen else ""
    order = f"{marked}, then {order}" if marked and listing.answer_first else order
    parts = [
        f"{units.count(count)}{fleets}{of} candidate{'' if total == 1 else 's'}, {order}",
        f"/ {listing.words}" if listing.words else "",
        f"at {chosen}, esc: the answer" if chosen else "",
        "" if listing.answer_first else marked,
        f"{ESTIMATED} formula",
        "" if chosen else "enter looks",
    ]
    told = [part for part in parts if part]
    while len(told) > 1 and len("   ".join(told)) > width:
        told.pop()
    return "   ".join(told)
