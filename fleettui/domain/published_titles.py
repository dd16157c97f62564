"""The titles of the papers' tables that are published again here, and how a person names one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from fleettui.errors import UnknownNameError

LISTED = "FO T1-T6 7.4, IFS T1-T9 4.2 Eq. 6, DOC 1 2 6, FR 5.3 5.5 6.1 6.2 6.4 Fig. 21 T2 T6"
"""Every table that can be asked for, by paper; a test holds it to the tables that there are."""
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


def titles_in(listed: str) -> Iterator[str]:
    """Yield the titles of a list by paper.

    >>> [*titles_in("FO T1-T2 7.4, FR Fig. 21")]
    ['FO T1', 'FO T2', 'FO 7.4', 'FR Fig. 21']
    """
    for words in listed.split(", "):
        paper, rest = words.split(" ", maxsplit=1)
        for part in re.findall(r"(?:Fig\. |Eq\. )?\S+", rest):
            first, _, last = part.removeprefix("T").partition("-T")
            tables = range(int(first), int(last) + 1) if last else ()
            yield from (f"{paper} T{number}" for number in tables) if last else (f"{paper} {part}",)


def _spellings(title: str) -> set[str]:
    """Return every way to write a title: the paper's names, the words for table, equation and section, the number."""
    paper, rest = title.split(" ", maxsplit=1)
    part = next(part for part in PARTS if rest.startswith(part))
    number = _plain(rest.removeprefix(part))
    papers = (*PAPERS[paper], "") if part == "Eq. " else PAPERS[paper]
    return {"".join(words) for words in product(papers, PARTS[part], (number,))}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


TITLES = tuple(titles_in(LISTED))
"""Every title."""
