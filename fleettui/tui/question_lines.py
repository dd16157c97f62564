"""The question that is edited, in the two lines at the foot of the fleet's view and in the header."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from fleettui.domain.plan import was_searched
from fleettui.errors import InputError
from fleettui.reports.question.conversion import summary
from fleettui.reports.question.five_lines import HIT, phrase_of, write
from fleettui.reports.question.keys import BY_NAME, LIMITS
from fleettui.reports.question.price_keys import PAYMENT
from fleettui.reports.row_text import HEAD
from fleettui.tui.question_draft import NOTHING, Draft

if TYPE_CHECKING:
    from fleettui.domain.joint import JointQuestion
    from fleettui.tui.shown import Shown
    from fleettui.tui.state import AppState

DEMAND = "demand"
"""The line of a new question that stands for all keys of the demand."""
DRAWN = ("max-power", "max-feed", "power-cap")
QUESTION = (
    ("workload", "prompt", "output", DEMAND, "batch-share", HIT, "model", "dtype"),
    (
        "gpu",
        "tp",
        "pp",
        *LIMITS,
        "confidence",
        *PAYMENT,
        "max-utilization",
        "pools",
        "budget",
        "max-gpus",
        *DRAWN,
        "router",
        "admission",
    ),
)
"""The keys of the question that the foot of the fleet's view shows, by line; what is not usual goes first."""
ALWAYS, SELDOM = ("gpu", "tp"), ("pp", HIT)
"""Those that are shown even where nothing is said, and those that are not where they are usual."""


def asked_lines(state: AppState, width: int) -> str:
    """Return what is asked in two lines: the question that is edited, or several workloads together."""
    if state.joint is None:
        return question_lines(state.draft, width, state.shown)
    return joint_lines(state.joint, width)


def question_lines(draft: Draft, width: int, shown: Shown | None = None) -> str:
    """Return the question in two lines; what differs from the plan on screen, the one that is `shown`, bears a `*`."""
    lines, fleet = [], _given_fleet(shown, draft)
    for names in QUESTION:
        ordered = sorted(names, key=lambda name: name != DEMAND and draft.value(name) == BY_NAME[name].default)
        parts = [part for name in ordered if (part := _demand(draft) if name == DEMAND else _part(draft, name, fleet))]
        while len("  ".join(parts)) > width - len(HEAD):
            parts.pop()
        lines.append("  ".join(parts))
    return HEAD + ("\n" + " " * len(HEAD)).join(lines)


def _part(draft: Draft, name: str, fleet: Mapping[str, str] = NOTHING) -> str:
    """Return what stands there of a key, empty where that is nothing; of a `fleet` that was given where it is usual."""
    if name in fleet and draft.value(name) == BY_NAME[name].default:
        return f"{name} {fleet[name]} given"
    text = PurePath(draft.value(name)).name if name == "workload" else draft.value(name)
    is_usual = name in SELDOM and text == BY_NAME[name].default
    return f"{name} {text or 'any'}{mark(draft, name)}" if (text and not is_usual) or name in ALWAYS else ""


def _demand(draft: Draft) -> str:
    """Return the demand: a key that says it alone, or the phrase in which several of them are typed.

    It bears the mark where any of its keys differs, also one that was taken away.
    """
    keys = phrase_of(DEMAND).keys
    said = [f"{name} {draft.texts[name]}" for name in keys if draft.texts.get(name)]
    marked = next(filter(None, (mark(draft, name) for name in keys)), "")
    if not said and not marked:
        return ""
    return (said[0] if len(said) == 1 else write(DEMAND, draft.texts)) + marked


def joint_lines(question: JointQuestion, width: int) -> str:
    """Return several workloads in two lines: what each is and how much arrives, and what all share."""
    from fleettui.reports.joint_study import shared_words
    from fleettui.reports.question.conversion import to_texts

    each = [f"{one.name} {write(DEMAND, to_texts(one.question))}" for one in question.entries]
    lines = (" + ".join(each), shared_words(question))
    room = width - len(HEAD)
    cut = (line if len(line) <= room else f"{line[: room - 1]}…" for line in lines)
    return HEAD + ("\n" + " " * len(HEAD)).join(cut)


def _given_fleet(shown: Shown | None, draft: Draft) -> dict[str, str]:
    """Return GPUs, tensor parallelism and stages of the fleet that a draft's plan was given.

    Nothing of a fleet that was searched for, and no stages where each replica is one.
    """
    if shown is None or shown.plan != draft.parent or was_searched(shown.answer, shown.question):
        return {}
    pools = () if shown.answer.answer is None else shown.answer.answer.fleet.pools
    words = {"gpu": [pool.gpu for pool in pools], "tp": [str(pool.tp) for pool in pools]}
    if any(pool.pp != 1 for pool in pools):
        words["pp"] = [str(pool.pp) for pool in pools]
    return {name: ",".join(dict.fromkeys(found)) for name, found in words.items()}


def mark(draft: Draft, name: str) -> str:
    """Return `*` for a key that differs from the plan the draft began with."""
    return "*" if draft.base and name in draft.changed else ""


def in_one_line(draft: Draft) -> str:
    """Return the question in the header's words, or what there is of one that still lacks something."""
    try:
        return summary(draft.question())
    except InputError:
        return _unfinished(draft)


def _unfinished(draft: Draft) -> str:
    """Return a question that still lacks something, for the header."""
    if not draft.texts:
        return "no question yet"
    lengths = PurePath(draft.value("workload")).name or "lengths by percentile"
    limits = [name for name in LIMITS if draft.value(name)]
    return f"{lengths}  {draft.value('model')} {draft.value('dtype')}  {'' if limits else 'no SLO yet'}".rstrip()
