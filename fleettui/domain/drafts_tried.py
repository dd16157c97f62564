"""How many drafts a search tries where a question leaves their number to it: mtp:auto@70%.

Their acceptance is not left to it: only a server shows that. One rate stands for each draft after those before it, so
that up to MOST_TRIED are tried; rates by position are tried one by one.
"""

from __future__ import annotations

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.speculation import WHERE, speculation
from fleettui.errors import InputError

MOST_TRIED = 6
EXAMPLE = "mtp:auto@70%, mtp:auto@79%/48%/22%: the acceptance is what a server showed"


def is_searched(text: str) -> bool:
    """Return whether a text leaves the number of drafts to the search."""
    return text.partition("@")[0].rpartition(":")[2].strip().lower() == SEARCHED


def written(text: str, where: str | None = WHERE) -> str:
    """Return drafts as they are written, their number left to the search or not; raises InputError.

    >>> written("MTP:auto@0.7"), written("mtp:3@70%")
    ('mtp:auto@70%', 'mtp:3@70%')
    """
    if not is_searched(text):
        return speculation(text, where).text
    most = speculation(tried(text, where)[-1], where)
    return most.text.replace(f":{most.drafts}@", f":{SEARCHED}@")


def tried(text: str, where: str | None = WHERE) -> tuple[str, ...]:
    """Return no drafts, and then one more each time; raises InputError where no drafter or acceptance is said.

    >>> tried("mtp:auto@79%/48%")
    ('', 'mtp:1@79%', 'mtp:2@79%/48%')
    """
    said, _, acceptance = text.strip().partition("@")
    name = said.rpartition(":")[0].strip()
    if not (name and acceptance.strip()):
        raise InputError("drafts are tried with a drafter and an acceptance", where=where, value=text, accepted=EXAMPLE)
    rates, colon, mode = acceptance.partition(":")
    shares = rates.split("/")
    counts = range(1, (len(shares) if len(shares) > 1 else MOST_TRIED) + 1)
    some = (f"{name}:{count}@{'/'.join(shares[:count])}{colon}{mode}" for count in counts)
    return ("", *(speculation(one, where).text for one in some))
