"""The command `whatif`, which asks for one of several kinds of study, and its one line in the app."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fleettui.domain.whole import whole
from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Given, read_words
from fleettui.planning.studies.study_type import Command, Prompt

if TYPE_CHECKING:
    from fleettui.planning.edges import Edges
    from fleettui.planning.studies.study_context import StudyContext


def line_help() -> str:
    """Return what a line may say: the names of the command's options with or without their dashes, or a sweep."""
    from fleettui.reports.question.sweep import EXAMPLE

    return "\n".join([*_told_lines(), EXAMPLE])


def lines() -> str:
    """Return a line for each kind of question."""
    from fleettui.reports.question.sweep import EXAMPLE

    return "; ".join(one.partition(" (")[0].rstrip() for one in (*_told_lines(), EXAMPLE))


def _told_lines() -> list[str]:
    """Return the line of each kind of study but the sweep, which needs no word of its own."""
    from fleettui.planning.studies import types_of

    return [one.told_line for one in types_of(WHATIF) if one.arguments[0].form != "several"]


def read_line(text: str) -> Given:
    """Return the options that a line stands for: `growth 8%/month lead 12w`; a bare word after growth is its lead time.

    Raises InputError for a word that means nothing here.

    >>> read_line("growth 8%/month 12w --months=6")
    {'growth': '8%/month', 'lead-time': '12w', 'months': '6'}
    >>> read_line("rate=50/s:400/s:8 gpu=h100,a100")
    {'sweep': ('rate=50/s:400/s:8', 'gpu=h100,a100')}
    """
    from fleettui.planning.studies import prompted

    def meant(given: dict[str, Any], word: str) -> bool:
        if "=" in word and not word.startswith("--"):
            given["sweep"] = (*given.get("sweep", ()), word)
        elif "growth" in given and "lead-time" not in given:
            given["lead-time"] = word
        else:
            raise InputError("this is no what-if question", value=text, accepted=lines())
        return True

    return read_words(prompted(WHATIF), text, WHATIF.name, meant)


def whole_number(given: Given, name: str, default: int) -> int:
    """Return a whole number; whether it is too small or too large is for the study to say."""
    text = str(given.get(name, default))
    found = whole(text)
    if found is None:
        raise InputError("this is no whole number", where=f"--{name}", value=text, accepted="24")
    return found


def shape_of(desk: StudyContext, plan: str) -> Edges:
    """Return where the fleet of a kept plan runs out, which tells the plan and its scene, too.

    Raises InputError where there is no fleet to size.
    """
    from fleettui.planning.edges import Edges
    from fleettui.reports.studies.subject import About

    kept = desk.kept(plan)
    best = kept.fleet_for("whose shape could be looked at")
    kept.check_no_paper("has no step times to size by")
    asked = f"whatif {kept.handle}"
    about = About(plan=kept.answer, question=kept.question, fleet=best, asked=asked)
    return Edges(desk=desk, about=about, source=kept.source(f"shape {kept.id}", kept.profiles))


WHATIF = Command(
    name="whatif",
    help="a kept plan at other inputs: sweeps, growth, bursts",
    about="Move the inputs of a kept plan, answer each by formula, keep the findings as a study, and print them.",
    examples="""\
\b
Examples:
  fleettui whatif last --sweep rate=50/s:400/s:8
  fleettui whatif last --sweep gpu=h100,a100,l40s --sweep slo-ttft=300ms,1s
  fleettui whatif 9f3c --steps --from 50/s --to 500/s
  fleettui whatif 9f3c --growth 8%/month --lead-time 12w --months 24
  fleettui whatif 9f3c --sensitivity --samples 400
  fleettui whatif 9f3c --burst x2 --for 5min
""",
    after="why",
    arguments=(replace(PLAN, default=None, needed=True),),
    prompt=Prompt(label="what if", help=line_help, read=read_line),
)
