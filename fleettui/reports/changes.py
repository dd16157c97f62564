"""What an answer rests on that is not what it was: the question's keys, the trace, prices, hardware, the engine."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question, Scenario
from fleettui.reports import units
from fleettui.reports.question.form import to_values
from fleettui.reports.question.keys import BY_NAME

ChangeKind = Literal["slo", "question", "trace", "price", "hardware", "engine"]
NO_INPUT = frozenset({"name", "verify"})
NONE = "none"
DIGITS = 8
"""Characters of a digest that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An input that is another; `before` and `after` are empty where there is too much to write."""

    kind: ChangeKind
    name: str
    before: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        """The change in a few words."""
        moved = f"{self.before} -> {self.after}"
        if self.kind == "trace":
            return f"{self.name} has other lengths or arrivals: digest {moved}"
        if self.kind == "price":
            return f"the catalogue's price of {self.name}: {moved}"
        if self.kind == "engine" and self.before == self.after:
            return f"the engine, still version {self.after}"
        if self.kind == "hardware":
            return f"the catalogue's figures of {self.name}{f': {moved}' if self.before else ' are others'}"
        return f"{self.name}: {moved}"


def between(
    old: Scenario, new: Scenario, old_profiles: Sequence[Profile], new_profiles: Sequence[Profile]
) -> Iterator[Change]:
    """Yield all that is not what it was from one plan's inputs to another's, what was asked first."""
    before, after = old.question, new.question
    yield from of_question(before, after)
    if _lengths(before) == _lengths(after):
        yield from of_trace(after.workload, old.workload, new.workload)
    if before.gpus == after.gpus:
        yield from of_hardware(old_profiles, new_profiles, {gpu for one in (before, after) for gpu, _ in one.prices})
    yield from of_engine(old.engine_version, new.engine_version)


def _lengths(question: Question) -> tuple[object, ...]:
    return question.workload, question.prompt, question.output


def of_question(old: Question, new: Question) -> Iterator[Change]:
    """Yield each key that the questions do not share, the SLOs first."""
    before, after = (
        {name: BY_NAME[name].form.write(value) for name, value in to_values(one).items()} for one in (old, new)
    )
    names = [name for name in BY_NAME if name not in NO_INPUT and before.get(name) != after.get(name)]
    for name in sorted(names, key=lambda one: not _is_slo(one)):
        yield Change(
            kind="slo" if _is_slo(name) else "question",
            name=name,
            before=before.get(name, NONE),
            after=after.get(name, NONE),
        )


def _is_slo(name: str) -> bool:
    return BY_NAME[name].field.partition(".")[0] == "slo"


def of_trace(name: str | None, old: str, new: str) -> Iterator[Change]:
    """Yield that the lengths called `name` have another digest, where they have."""
    if old != new:
        yield Change(kind="trace", name=name or "the lengths", before=old[:DIGITS], after=new[:DIGITS])


def of_hardware(old: Sequence[Profile], new: Sequence[Profile], typed: Collection[str] = ()) -> Iterator[Change]:
    """Yield the GPUs whose price changed, unless somebody `typed` it, and those whose other figures did."""
    prices = [{one.gpu: one.price_per_hour for one in profiles} for profiles in (old, new)]
    for gpu in prices[0].keys() & prices[1].keys() - set(typed):
        before, after = (found[gpu] for found in prices)
        if before != after:
            yield Change(
                kind="price",
                name=gpu.upper(),
                before=f"{units.dollars(before)}/h",
                after=f"{units.dollars(after)}/h",
            )
    known, found = ({_key(one): _figures(one) for one in profiles} for profiles in (old, new))
    for gpu in sorted({key[0] for key in known if key in found and known[key] != found[key]}):
        yield Change(kind="hardware", name=gpu.upper())
    for gpu in sorted(prices[0].keys() ^ prices[1].keys()):
        there = gpu in prices[0]
        yield Change(
            kind="hardware",
            name=gpu.upper(),
            before="searched" if there else "not searched",
            after="not searched" if there else "searched",
        )


def _key(profile: Profile) -> tuple[str, ...]:
    return profile.gpu, profile.model, profile.dtype, str(profile.tp)


def _figures(profile: Profile) -> Profile:
    """Return what sizing reads of a profile beside its price."""
    return replace(profile, price_per_hour=0.0, price_note="", citations=(), memory=())


def of_engine(old: int, new: int) -> Iterator[Change]:
    """Yield that another engine version works things out, where it is another."""
    if old != new:
        yield Change(kind="engine", name="engine", before=str(old), after=str(new))
