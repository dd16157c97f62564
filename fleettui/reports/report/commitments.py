"""What we commit to: how the fleet's GPUs are paid for over the years, from a study of money with the page's growth."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fleettui.domain.study import Study
from fleettui.reports.report.model import Kept, Section, sentence
from fleettui.reports.study_tables import study_table

TITLE = "What we commit to"
SHOWN = (
    "ways to pay",
    "what to commit to",
    "prices",
    "US dollars for",
    "by class of service",
    "beside the GPUs",
    "to buy or to rent",
)
"""How the titles of the tables begin that the page has."""


_GROWTH = re.compile(r"--growth (\S+)")


def commitments(kept: Kept) -> tuple[Section, ...]:
    """Return what to commit to, at which prices of which class and date; nothing where no money was studied.

    It is from the newest study of money with the growth that the page tells of, or else from the newest, which says so.
    """
    grows = kept.study("growth")
    found = [one for one in kept.studies if one.kind == "money"]
    alike = [one for one in found if grows is None or _growth(one) == _growth(grows)]
    study = next(iter((*alike, *found)), None)
    if study is None:
        return ()
    tables = tuple(study_table(one) for one in study.tables if one.title.startswith(SHOWN))
    beside = () if grows is None or alike else _without(kept, study, grows)
    told = tuple(map(sentence, (*study.sentences, *beside, *study.warnings)))
    return (Section(title=TITLE, sentences=told, tables=tables),)


def _without(kept: Kept, study: Study, grows: Study) -> Iterator[str]:
    """Yield that a study of money was made with another growth than the page tells of, or without any."""
    own, other = _growth(study), _growth(grows)
    how = f"with growth of {own}" if own else "without growth"
    yield f"this was worked out {how}, not with {other}: fleettui money {kept.handle} --growth {other}"


def _growth(study: Study) -> str:
    """Return the growth that a study was asked for, as typed, empty where it was for none."""
    found = _GROWTH.search(study.question)
    return found[1] if found else ""
