"""Several questions over one stock of GPUs, one budget and one power cap, and what such a joint question came to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from fleettui.domain import checks
from fleettui.domain.checks import Positive, PositiveCount
from fleettui.domain.demand import Demand
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.surer_together import SureTogether
from fleettui.errors import InputError

JointObjective = Literal["cost", "gpus", "power"]
JOINT_OBJECTIVES: tuple[JointObjective, ...] = get_args(JointObjective)
MOST_ENTRIES = 100
LONGEST_JOINT_NAME, LONGEST_ENTRY_NAME = 40, 39
"""Characters; a plan is called by both with a slash between, and that has 80 at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One question of several: what is served to whom; `service_class` is a label, such as interactive or batch."""

    name: str
    service_class: str = ""
    question: Question

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= LONGEST_ENTRY_NAME or not self.name.isprintable():
            raise InputError(
                "this is no workload's name", value=self.name, accepted=f"one line of 1 to {LONGEST_ENTRY_NAME} letters"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLimits:
    """What all fleets together may use; None or absent is no limit. Dollars per hour, watts, GPUs by type.

    With `whole_nodes` whole nodes of each type are paid for, and have to be there; fleets share nodes.
    """

    max_gpus: tuple[tuple[str, int], ...] = ()
    max_total_gpus: PositiveCount | None = None
    budget: Positive | None = None
    max_power: Positive | None = None
    whole_nodes: bool = False

    def __post_init__(self) -> None:
        checks.fields(self)
        for gpu, count in self.max_gpus:
            checks.not_negative(f"max_gpus of {gpu}", count)

    def limits(self) -> tuple[tuple[str, float], ...]:
        """Return (resource, most) for each limit: a GPU type's name, or `gpus`, `cost`, `power`."""
        others = (("gpus", self.max_total_gpus), ("cost", self.budget), ("power", self.max_power))
        return (
            *((stock(gpu), float(most)) for gpu, most in self.max_gpus),
            *((name, float(most)) for name, most in others if most is not None),
        )


def stock(gpu: str) -> str:
    """Return the resource that the GPUs of a type are."""
    return f"stock of {gpu}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JointQuestion:
    """Entries over shared limits; of all combinations of one fleet per entry the answer has least of `objective`."""

    name: str
    entries: tuple[Entry, ...]
    limits: SharedLimits = SharedLimits()
    objective: JointObjective = "cost"
    verify: bool = True
    seed: int = 1

    def __post_init__(self) -> None:
        checks.fields(self)
        if not 0 < len(self.name) <= LONGEST_JOINT_NAME or not self.name.isprintable():
            raise InputError(
                "this is no joint plan's name",
                value=self.name,
                accepted=f"one line of 1 to {LONGEST_JOINT_NAME} characters",
            )
        if not 1 <= len(self.entries) <= MOST_ENTRIES:
            raise InputError("no such number of workloads", value=len(self.entries), accepted=f"1 to {MOST_ENTRIES}")
        names = [one.name for one in self.entries]
        for name in names:
            if names.count(name) > 1:
                raise InputError("two workloads have one name", value=name, accepted="a name of its own for each")

    @property
    def by_power(self) -> bool:
        """Whether the choice depends on what fleets draw."""
        return self.objective == "power" or self.limits.max_power is not None

    def amount(self, *, cost: float, gpus: float, power: float) -> float:
        """Return what takes so many US dollars an hour, GPUs and watts as an amount of the objective."""
        return {"cost": cost, "gpus": gpus, "power": power}[self.objective]


@dataclass(frozen=True, slots=True, kw_only=True)
class JointAsked:
    """A joint question that was answered, and its entries' `rates`, requests per second, that their demands came to.

    `trace_format` is the reader of traces where one was forced.
    """

    question: JointQuestion
    rates: tuple[float, ...]
    trace_format: str | None = None

    @property
    def may_grow(self) -> bool:
        """Whether something limits all fleets together, and no entry's rate follows from how fast it is answered."""
        forms = {one.question.demand.form for one in self.question.entries}
        return bool(self.question.limits.limits()) and "concurrency" not in forms

    def at(self, share: float, *, verify: bool) -> JointQuestion:
        """Return the question of so large a share of every entry's rate."""
        pairs = zip(self.question.entries, self.rates, strict=True)
        entries = tuple(
            replace(
                one,
                question=replace(one.question, demand=Demand(form="rate", rate=share * rate), ranges=(), verify=verify),
            )
            for one, rate in pairs
        )
        return replace(self.question, entries=entries, verify=verify)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A GPU type as the choice sees it: US dollars per GPU-hour and GPUs per node."""

    name: str
    price: float
    per_node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A fleet as the choice sees it: GPUs by type in the order of the kinds, and watts."""

    gpus: tuple[int, ...]
    watts: float

    def cost(self, kinds: Sequence[Kind]) -> float:
        """Return its price in US dollars per hour."""
        return sum(kind.price * count for kind, count in zip(kinds, self.gpus, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What one entry may choose from, cheapest first; the options' GPUs are in the order of these `kinds`.

    `rate` is what its demand comes to, requests per second; `infeasible` is its plan where no fleet holds.
    """

    kinds: tuple[Kind, ...]
    options: tuple[Option, ...]
    rate: float
    infeasible: NewPlan | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """An entry that would do with less of the objective if only its own fleet counted, and which limits forbid it.

    `option` is the place of that fleet among the entry's; `needs` are (limit, what all fleets would then use of it).
    """

    entry: int
    option: int
    needs: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What is used of one resource of how much; `most` None is no limit.

    `would_do` is the smallest limit with which, all others as they are, there is an answer; None where the present
    one does, or none alone.
    """

    resource: str
    used: float | None
    most: float | None = None
    would_do: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """A choice of one option per entry (None: no combination keeps the limits), what it uses, and who is held back.

    `paid` are GPUs by type that are paid for: with whole nodes more than are used. `together` are limits that would
    do if no single one does, each raised by the smallest share of it. It is `simulated` where it was made among fleets
    alone that hold as simulated.
    """

    chosen: tuple[int, ...] | None
    paid: tuple[int, ...] = ()
    cost: float = 0.0
    power: float = 0.0
    uses: tuple[Use, ...] = ()
    held_back: tuple[HeldBack, ...] = ()
    together: tuple[tuple[str, float], ...] = ()
    simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One entry with its plan as stored, None where none was made.

    `rate` is what its demand comes to, `formula` the GPUs by type that the formulas chose for it first. One that is
    held back would by itself have the GPUs `alone`, by type, and for that all together would need `needs` of the limits
    that forbid it; one that is not, and whose plan by itself is not known to have the same GPUs (`is_own`), has `alone`
    where that plan is known. Where no combination keeps the limits, `alone` are the GPUs that it needs with all limits
    to itself, for `alone_cost` dollars per hour; empty where they are too small even so: then `needs` are limits each
    of which would do, or with `needs_all` together. Either is `simulated`, or else by formula.
    """

    entry: Entry
    plan: Answer | None
    rate: float | None = None
    formula: tuple[tuple[str, int], ...] = ()
    alone: tuple[tuple[str, int], ...] = ()
    alone_cost: float = 0.0
    needs: tuple[tuple[str, float], ...] = ()
    needs_all: bool = False
    simulated: bool = False
    is_own: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """What one more entry takes beside those that fit: limits each of which would do, or with `needs_all` together.

    It is `simulated`, or else by formula.
    """

    name: str
    needs: tuple[tuple[str, float], ...]
    needs_all: bool
    simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """Entries that fit together where all do not: their `names`, GPUs by type, US dollars an hour, and what is
    `missing` for each of the others beside them. It is `simulated`, or else by formula.
    """

    names: tuple[str, ...]
    gpus: tuple[tuple[str, int], ...]
    cost: float
    missing: tuple[Missing, ...]
    simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPlan:
    """What a joint question came to; the verdict is pass only where every entry's is and all limits hold.

    `notes` are sentences on what was tried and what is left open, `advice` lines on what would change the answer.
    `fitting` are those that fit where all do not, None where no one does. `proven` is what comes of the fleets alone
    that hold as simulated, where no combination keeps the limits. `surer` is how sure the limits let all be, None where
    that was not asked.
    """

    question: JointQuestion
    verdict: Verdict
    kinds: tuple[Kind, ...]
    joint: Joint
    planned: tuple[Planned, ...]
    notes: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    fitting: Fitting | None = None
    proven: Joint | None = None
    surer: SureTogether | None = None


def kinds_of(found: Iterable[Offered]) -> tuple[Kind, ...]:
    """Return the GPU types of several entries, by name."""
    merged = {kind.name: kind for one in found for kind in one.kinds}
    return tuple(merged[name] for name in sorted(merged))
