"""The texts of a hand-off: heads with what is known and what is not, comments, YAML, shell scripts.

Whatever a person has named goes through `safe` into a comment, or through a library's or the shell's own quoting.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from fleettui.domain.fleet import counted
from fleettui.reports import confidence_text, fleet_text, moments, units
from fleettui.reports.handoff.model import PoolPlan, Subject
from fleettui.reports.handoff.not_set import not_set
from fleettui.reports.report.build import asked

WIDTH = 110
LONGEST_NAME = 80
_ELSEWHERE = re.compile(r"[-+.]?\d.*|[yn]", re.IGNORECASE)
"""Texts that the library writes plain and other readers of YAML take for numbers or truth values: 9e52, y."""
SHEBANG = "#!/usr/bin/env bash"


class _Dumper(yaml.SafeDumper):
    """Writes every object out, also where it stands twice: nobody reads anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is the library's
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    """Write a text of several lines as they stand, and one that another reader takes for something else in quotes."""
    style = "|" if "\n" in value else "'" if _ELSEWHERE.fullmatch(value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


class Document(NamedTuple):
    """A YAML document, and what is said above it."""

    comments: Sequence[str]
    content: Mapping[str, Any]


def safe(text: str) -> str:
    """Return a text on one line of printable signs, whatever it holds.

    >>> safe("a\\nb\\x1b[31m"), safe("a'b")
    ('a b?[31m', "a'b")
    """
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))


def comment(text: str) -> str:
    """Return a text as lines that begin with #."""
    lines = textwrap.wrap(safe(text), WIDTH - 4, break_long_words=True) or [""]
    return "\n".join(f"# {line}" if at == 0 else f"#   {line}" for at, line in enumerate(lines))


def comments(texts: Iterable[str]) -> str:
    """Return each text as lines that begin with #."""
    return "\n".join(map(comment, texts))


def head(subject: Subject, *unknown: str, warned: Iterable[str] = ()) -> tuple[str, ...]:
    """Return what stands at the head of every file: the plan, its warnings and the file's, and what it cannot know."""
    plan, engine = subject.kept.answer.plan, subject.engine
    named = f" {_quoted(plan.name)}" if plan.name else ""
    made = f", made {moments.minute(plan.created)} UTC" if plan.created else ""
    return (
        f"fleettui plan {subject.handle}{named}, engine version {plan.engine_version}{made}, for {engine.name} "
        f"{engine.version}",
        f"{fleet_text.fleet(subject.fleet)}: {asked(subject.kept)}",
        *(f"WARNING: {one}" for one in (*warnings(subject), *warned)),
        *(f"Not known here: {one}" for one in unknown),
    )


def warnings(subject: Subject) -> Iterator[str]:
    """Yield why the plan is not to be deployed without a further look."""
    answer, best = subject.kept.answer, subject.best
    if answer.verdict == "fail":
        yield "the plan fails: this fleet breaks a limit"
    elif answer.verdict != "pass":
        yield f"the plan is not proven: fleettui verify {subject.handle} simulates on"
    elif best.simulation is None:
        yield f"the plan passes by formula and is not proven by simulation: fleettui verify {subject.handle} does that"
    if answer.confidence is not None and confidence_text.is_nominal(answer.confidence):
        told = confidence_text.told(answer.confidence, best)
        yield f"the plan passes at nominal speed only: {told}"
    yield from answer.warnings
    yield from not_set(subject)
    if subject.fleet.gamma > 1.0:
        yield (
            f"the plan compresses requests up to {subject.fleet.gamma:g} times a pool's end to fit below it; what does "
            "that is not in these files"
        )


def of_pool(subject: Subject, part: PoolPlan) -> str:
    """Return what a pool is, in one line."""
    pool, spares = part.pool, f" and {part.pool.spares} spare" if part.pool.spares else ""
    spares += f" (at most {counted(part.per_node, 'replica')} on a node)" if part.per_node else ""
    return (
        f"pool {_quoted(pool.name)}: {counted(pool.replicas, 'replica')}{spares}, each on {pool.gpus_per_replica} "
        f"{pool.gpu}, of {pool.model} in {pool.dtype}; requests of {units.count(pool.above + 1)} to "
        f"{units.count(pool.up_to)} tokens in all, {units.per_second(part.figures.arrival_rate)}/s, so "
        f"{units.per_second(part.rate)}/s a replica; {foreseen(subject, part)}"
    )


def foreseen(subject: Subject, part: PoolPlan) -> str:
    """Return the latencies that the plan foresees of a pool."""
    how = "by formula" if part.seen is None else "as simulated"
    found = (
        f"{fleet_text.ranked(one, subject.question.slo)} {units.seconds(part.estimate(one).value)}"
        for one in subject.latencies
    )
    return f"{', '.join(found)} {how}"


def _quoted(name: str) -> str:
    """Return a name of the user's as it stands in a comment: on one line, and short."""
    return f'"{safe(name)[:LONGEST_NAME]}"'


def yaml_text(above: Iterable[str], documents: Iterable[Document]) -> str:
    """Return YAML documents below a head of comments."""
    parts = [comments(above)]
    parts += ("\n".join(filter(None, ("---", comments(one.comments), dumped(one.content)))) for one in documents)
    return "\n".join(parts) + "\n"


def dumped(content: Mapping[str, Any]) -> str:
    """Return an object as YAML, without a line's end."""
    written: str = yaml.dump(dict(content), Dumper=_Dumper, sort_keys=False, allow_unicode=False, width=WIDTH)
    return written.rstrip("\n")


def script(above: Iterable[str], lines: Iterable[str]) -> str:
    """Return a shell script below a head of comments; it ends where a command fails."""
    return "\n".join([SHEBANG, comments(above), "set -euo pipefail", *lines]) + "\n"


def array(name: str, entries: Iterable[tuple[Sequence[str], str]]) -> str:
    """Return a shell array of (words, why they are there), a line each below its reason."""
    lines = [f"{name}=("]
    for words, reason in entries:
        lines += [textwrap.indent(comment(reason), "  "), f"  {shlex.join(words)}"]
    return "\n".join([*lines, ")"])
