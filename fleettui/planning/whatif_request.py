"""Which what-if question the options of the command, or one line of words in the app, ask for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning import whatif as use_case
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.sweep import EXAMPLE
from fleettui.reports.question.time_spans import GROWTH, LEAD_TIME, read_day

if TYPE_CHECKING:
    from fleettui.domain.study import Study

Work = Callable[..., Awaitable["Study"]]
KINDS = "one of --sweep, --steps, --growth 8%/month, --sensitivity"
BELONGS: Mapping[str, tuple[str, ...]] = {
    "sweep": (),
    "steps": ("from", "to"),
    "growth": ("lead-time", "months", "start"),
    "sensitivity": ("samples", "seed"),
}
"""The options that each question takes."""
FLAGS = frozenset({"steps", "sensitivity"})
"""Questions that have no value of their own."""
ALIASES = {"lead": "lead-time"}
LEAD_TIME_BY_DEFAULT = "12w"
LINES = "growth 8%/month 12w; steps; sensitivity; rate=50/s:400/s:8"
"""Lines of words, one for each question."""
HELP = f"""\
growth 8%/month 12w   (growth and lead time; also: months 24 start 2026-12-01)
steps   (also: from 50/s to 500/s)
sensitivity   (also: samples 400 seed 7)
{EXAMPLE}"""
"""What a line may say, the names of the command's options with or without their dashes."""


def work_of(options: Mapping[str, object], today: date) -> Work:
    """Return the use case that `options` ask for, texts by their names, empty or None where they are not given.

    A sweep is read where the plan is known. Raises InputError for no question, for several, for an option of another,
    and for a text that does not read.
    """
    given = {name: value for name, value in options.items() if value not in (None, False, ())}
    kind = _only(given)

    def count(name: str, default: int) -> int:
        return _count(str(given[name]), f"--{name}") if name in given else default

    def rate(name: str) -> float | None:
        return float(BY_NAME["rate"].read(str(given[name]), f"--{name}")) if name in given else None

    match kind:
        case "sweep":
            texts = given["sweep"]
            assert isinstance(texts, tuple), "sweeps are texts"
            return partial(use_case.sweep, texts=texts)
        case "steps":
            return partial(use_case.step_table, low=rate("from"), high=rate("to"))
        case "growth":
            return partial(
                use_case.growth,
                per_month=GROWTH.parse(str(given["growth"]), "--growth"),
                lead_days=LEAD_TIME.parse(str(given.get("lead-time", LEAD_TIME_BY_DEFAULT)), "--lead-time"),
                months=count("months", use_case.MONTHS),
                start=read_day(str(given["start"]), "--start") if "start" in given else today,
            )
    seed = BY_NAME["seed"].read(str(given["seed"]), "--seed") if "seed" in given else None
    return partial(use_case.sensitivity, samples=count("samples", use_case.SAMPLES), seed=seed)


def read_line(text: str) -> dict[str, object]:
    """Return the options that a line stands for: `growth 8%/month lead 12w`; a bare word after growth is its lead time.

    Raises InputError for a word that means nothing here.

    >>> read_line("growth 8%/month 12w --months=6")
    {'growth': '8%/month', 'lead-time': '12w', 'months': '6'}
    >>> read_line("rate=50/s:400/s:8 gpu=h100,a100")
    {'sweep': ('rate=50/s:400/s:8', 'gpu=h100,a100')}
    """
    valued = {*BELONGS, *(name for names in BELONGS.values() for name in names)} - FLAGS
    given: dict[str, object] = {}
    sweeps: list[str] = []
    words = iter(text.split())
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        name = ALIASES.get(name, name)
        if name == "sweep":
            sweeps += [text for text in (value or next(words, ""),) if text]
        elif name in FLAGS and not equals:
            given[name] = True
        elif name in valued:
            given[name] = value if equals else next(words, "")
        elif equals and not word.startswith("--"):
            sweeps.append(word)
        elif "growth" in given and "lead-time" not in given:
            given["lead-time"] = word
        else:
            raise InputError("this is no what-if question", value=text, accepted=LINES)
    return given | ({"sweep": tuple(sweeps)} if sweeps else {})


def _only(given: Mapping[str, object]) -> str:
    """Return the one question that is asked; raises InputError for none, several, or options of another."""
    asked = [name for name in BELONGS if name in given]
    if len(asked) != 1:
        what = "several questions at once" if asked else "nothing is asked"
        raise InputError(what, where="whatif", value=", ".join(f"--{name}" for name in asked) or None, accepted=KINDS)
    for kind, names in BELONGS.items():
        for name in names if kind != asked[0] else ():
            if name in given:
                raise InputError(f"this goes with --{kind}", where=f"--{name}", value=given[name])
    return asked[0]


def _count(text: str, where: str) -> int:
    """Return a whole number; whether it is too few or too many is the use case's to say."""
    if not text.strip().isdecimal():
        raise InputError("this is no whole number", where=where, value=text, accepted="24")
    return int(text)
