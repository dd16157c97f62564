"""What an answer rests on that is not what it was: the question's keys, the trace, prices, hardware, the engine."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal

from fleettui.domain.hardware import Profile
from fleettui.domain.plan_inputs import PlanInputs, prices_by_gpu
from fleettui.domain.scenario import SERVER_FIELDS, Question, Scenario
from fleettui.reports import units
from fleettui.reports.paid_prices import Prices, paid
from fleettui.reports.question.conversion import to_values
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.price_keys import PRICES

ChangeKind = Literal["slo", "question", "trace", "price", "hardware", "model", "overhead", "engine"]
NONE = "none"
DIGITS = 8
"""Characters of a digest that are shown."""
OF_MODEL = ("context", "flops_per_token", "attention_flops", "bytes_per_step", "kv_bytes_per_token")
OF_GPU = ("peak", "bandwidth", "power", "gpus_per_node")
"""Fields of a profile that one of its two parents alone decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An input that is another; `before` and `after` are empty where there is too much to write.

    `gpus` are those whose hardware is another by it.
    """

    kind: ChangeKind
    name: str
    before: str = ""
    after: str = ""
    gpus: tuple[str, ...] = ()

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
        if self.kind == "overhead":
            return f"the catalogue's {self.name}: {moved}"
        if self.kind in ("hardware", "model"):
            return f"the catalogue's figures of {self.name}{f': {moved}' if self.before else ' are others'}"
        return f"{self.name}: {moved}"


def between(
    old: Scenario, new: Scenario, old_profiles: Sequence[Profile], new_profiles: Sequence[Profile]
) -> Iterator[Change]:
    """Yield all that is not what it was from one plan's inputs to another's, what was asked first."""
    asked = old.question, new.question
    prices = prices_by_gpu(old_profiles), prices_by_gpu(new_profiles)
    yield from _of_asked(asked, (old.workload, new.workload), prices)
    if asked[0].gpus == asked[1].gpus:
        alike = _serve_alike(asked)
        found = of_hardware(old_profiles, new_profiles, _typed(asked))
        yield from (one for one in found if alike or one.kind == "price" or (one.kind == "hardware" and one.before))
    yield from of_engine(old.engine_version, new.engine_version)


def between_inputs(old: PlanInputs, new: PlanInputs, engines: tuple[int, int]) -> Iterator[Change]:
    """Yield the same as far as plans' JSON tells it: of whose hardware the figures are others, but not by what."""
    asked = old.question, new.question
    prices = dict(old.prices), dict(new.prices)
    yield from _of_asked(asked, (old.workload, new.workload), prices)
    if asked[0].gpus == asked[1].gpus:
        yield from _of_prices(*prices, _typed(asked))
        figures = dict(old.figures), dict(new.figures)
        for gpu in sorted(figures[0].keys() & figures[1].keys()) if _serve_alike(asked) else ():
            if figures[0][gpu] != figures[1][gpu]:
                yield Change(kind="hardware", name=gpu.upper(), gpus=(gpu,))
        yield from _of_searched(figures[0].keys(), figures[1].keys())
    yield from of_engine(*engines)


Asked = tuple[Question, Question]


def _of_asked(asked: Asked, workloads: tuple[str, str], prices: tuple[Prices, Prices]) -> Iterator[Change]:
    """Yield what was asked otherwise, and the trace where it is another under the same name."""
    yield from of_question(*asked, prices)
    if _lengths(asked[0]) == _lengths(asked[1]):
        yield from of_trace(asked[1].workload, *workloads)


def _typed(asked: Asked) -> set[str]:
    """Return the GPUs of which a question has a price of its own."""
    return {gpu for one in asked for gpu, _ in one.prices}


def _serve_alike(asked: Asked) -> bool:
    """Return whether both serve the same in the same way, so that only figures can be others."""
    return all(getattr(asked[0], name) == getattr(asked[1], name) for name in SERVER_FIELDS)


def _lengths(question: Question) -> tuple[object, ...]:
    return question.workload, question.prompt, question.output


def of_question(old: Question, new: Question, prices: tuple[Prices, Prices] = ({}, {})) -> Iterator[Change]:
    """Yield each key that the questions do not share, the SLOs first.

    Where one of them typed a price, that which the other pays is among the `prices`, by GPU.
    """
    values = to_values(old), to_values(new)
    moved = [name for name, key in BY_NAME.items() if key.is_input and values[0].get(name) != values[1].get(name)]
    before, after = ({name: BY_NAME[name].write(one[name]) for name in moved if name in one} for one in values)
    if both := paid((old, new), prices):
        before[PRICES], after[PRICES] = both
    names = [name for name in moved if before.get(name) != after.get(name)]
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
    """Yield the GPUs whose price changed, unless somebody `typed` it, and whose figures did, with whose fault it is."""
    before, after = prices_by_gpu(old), prices_by_gpu(new)
    yield from _of_prices(before, after, typed)
    yield from _of_figures(old, new)
    yield from _of_searched(before.keys(), after.keys())


def _of_prices(old: Mapping[str, float], new: Mapping[str, float], typed: Collection[str]) -> Iterator[Change]:
    """Yield the prices by GPU that changed, but for those that somebody `typed`."""
    for gpu in sorted(old.keys() & new.keys() - set(typed)):
        if old[gpu] != new[gpu]:
            before, after = map(units.cents_per_hour, (old[gpu], new[gpu]))
            yield Change(kind="price", name=gpu.upper(), before=before, after=after, gpus=(gpu,))


def _of_searched(old: Set[str], new: Set[str]) -> Iterator[Change]:
    """Yield the GPUs that only one of two questions searched."""
    for gpu in sorted(old ^ new):
        there = gpu in old
        yield Change(
            kind="hardware",
            name=gpu.upper(),
            before="searched" if there else "not searched",
            after="not searched" if there else "searched",
            gpus=(gpu,),
        )


def _of_figures(old: Sequence[Profile], new: Sequence[Profile]) -> Iterator[Change]:
    """Yield what changed of the figures beside prices: a model's, the engine's overhead, or a GPU's, which also has
    what it changed together with the model.
    """
    found = {one.replica_key: one for one in new}
    pairs = [(one, found[one.replica_key]) for one in old if one.replica_key in found]
    moved = [pair for pair in pairs if figures_of(pair[0]) != figures_of(pair[1])]
    by_model, by_overhead, by_gpu = [], [], []
    for one, other in moved:
        if _differ(one, other, OF_MODEL) and not _differ(one, other, OF_GPU):
            by_model.append((one, other))
        elif figures_of(_with_overhead(one, other)) == figures_of(other):
            by_overhead.append((one, other))
        else:
            by_gpu.append((one, other))
    if by_model:
        yield Change(kind="model", name=by_model[0][0].model, gpus=_gpus(by_model))
    if by_overhead:
        before, after = (units.seconds(one.step.overhead) for one in by_overhead[0])
        name = "time that the engine adds to a step"
        yield Change(kind="overhead", name=name, before=before, after=after, gpus=_gpus(by_overhead))
    for gpu in _gpus(by_gpu):
        both = [one.model for one, other in by_gpu if one.gpu == gpu and _differ(one, other, OF_MODEL)]
        yield Change(kind="hardware", name=" with ".join([gpu.upper(), *both[:1]]), gpus=(gpu,))


def _gpus(pairs: Sequence[tuple[Profile, Profile]]) -> tuple[str, ...]:
    return tuple(sorted({one.gpu for one, _ in pairs}))


def _differ(one: Profile, other: Profile, names: Sequence[str]) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in names)


def _with_overhead(one: Profile, other: Profile) -> Profile:
    return replace(one, step=replace(one.step, overhead=other.step.overhead))


def applied(change: Change, old: Sequence[Profile], new: Sequence[Profile]) -> tuple[Profile, ...]:
    """Return the hardware `old` with one change of `of_hardware` towards `new`."""
    before, after = ({one.replica_key: one for one in profiles} for profiles in (old, new))
    moved = (
        _applied(change, before.get(key), after.get(key)) if key[0] in change.gpus else before.get(key)
        for key in {**after, **before}
    )
    return tuple(one for one in moved if one is not None)


def _applied(change: Change, old: Profile | None, new: Profile | None) -> Profile | None:
    if old is None or new is None:
        return new if change.kind == "hardware" else old
    if change.kind == "price":
        return replace(old, price_per_hour=new.price_per_hour, price_note=new.price_note)
    if change.kind == "overhead":
        return _with_overhead(old, new)
    return replace(new, price_per_hour=old.price_per_hour, price_note=old.price_note)


def figures_of(profile: Profile) -> Profile:
    """Return what sizing reads of a profile beside its price."""
    return replace(profile, price_per_hour=0.0, price_note="", citations=(), memory=())


def of_engine(old: int, new: int) -> Iterator[Change]:
    """Yield that another engine version works things out, where it is another."""
    if old != new:
        yield Change(kind="engine", name="engine", before=str(old), after=str(new))
