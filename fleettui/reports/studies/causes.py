"""What makes one plan differ from another, as a study: a row per input, one for all together, one for the proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.limit import TTFT
from fleettui.domain.plan import ENGINE_VERSION, Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Declared, Study, StudyTable, table_of
from fleettui.domain.whatif import Outcome
from fleettui.reports import fleet_text, units
from fleettui.reports.paid_prices import Prices, paid
from fleettui.reports.question.conversion import to_texts
from fleettui.reports.question.keys import BY_NAME, FIXED_FLEET_KEYS, WORKLOAD
from fleettui.reports.question.price_keys import PRICES, typed
from fleettui.reports.studies.cause_steps import TOGETHER, Step, in_turn, more, rest, step_of, with_rest

BY_FORMULA, CORRECTED = "by formula", " as the plans' simulations correct it"
OF_THEIRS = "on the GPUs of their answers"
COUPLED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("lengths", ("workload", "prompt", "output", "output_share", "lengths")),
    ("slo", ("slo", "batch_share")),
    ("step_law", ("step_law", "fit")),
    ("pools", ("pools", "splits")),
    ("prices", ("prices", "price_terms", "price_list")),
    ("compression", ("gamma", "compressible", "compressor", "core_price")),
    (
        "availability",
        (
            "availability",
            "availability_of",
            "failures",
            "repair",
            "rack",
            "survive",
            "availability_target",
            "shared_nodes",
        ),
    ),
)
"""Fields of a question that mean something only together, and what they are called."""
NO_CAUSE = frozenset({"name", "verify", "precision", "seed"})
LENGTHS, CATALOGUE, FLEET = "lengths", "catalogue", "fleet"
GPUS, TYPED = "gpus", "prices"
"""Two parts of a question: a price typed of a GPU that only one plan searched goes with the GPU, no other does."""
PROOF, TOTAL = "proof", "total"
ALIKE = 1e-6
"""Dollars an hour, as a share of the larger plan's, that are rounding and no difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """What the old plan's question comes to with one part of the new one's.

    Where it is by formula between plans that are simulated, `beside` is what the formulas say of the old plan.
    """

    label: str
    outcome: Outcome
    beside: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """Two plans with their questions, what both come to `anew`, and what each input does, applied `alone`.

    `given` are fleets that were not searched for but written down; `prices` are those that each pays, by GPU.
    The formulas are `corrected` by what both plans' simulations showed, where both are simulated; where `anew` is
    simulated itself, so is what each input does, but for those that have a fleet `beside` them. `chain` is what the old
    plan comes to with none of the inputs, with the first, with the first two, up to all of them, in the order of
    `alone`; empty where that was not worked out.
    """

    asked: str
    old: Answer
    new: Answer
    questions: tuple[Question, Question]
    given: tuple[Fleet | None, Fleet | None] = (None, None)
    prices: tuple[Prices, Prices] = ({}, {})
    anew: tuple[Outcome, Outcome]
    alone: tuple[Alone, ...]
    chain: tuple[Outcome, ...] = ()
    corrected: bool = False


def causes_study(found: Causes) -> Study:
    """Return the study: causes that add up to the whole difference, the interaction of the inputs being one of them."""
    steps = _steps(found)
    chain = _chain(found, steps)
    return Study.of(
        found.new.plan,
        kind="causes",
        title=f"what makes {found.new.plan.called} differ from {found.old.plan.called}",
        question=found.asked,
        sentences=_sentences(found, steps, chain),
        tables=(_table(steps, found), *([_chain_table(chain, found)] if chain else ())),
        warnings=_warnings(found),
    )


def parts_of(*, given: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the fields of each part of a question that is a cause of its own, in its order, but prices before GPUs.

    So it is told what the old GPUs come to at the new prices, before there are others. Where a fleet is `given`, what
    is left to search for is one part with it.
    """
    named = {field: label for label, own in COUPLED for field in own}
    asked = {key.field.partition(".")[0] for key in (WORKLOAD, *FIXED_FLEET_KEYS)}
    names = [field.name for field in fields(Question) if field.name not in NO_CAUSE and field.name != GPUS]
    names.insert(names.index("prices") + 1, GPUS)
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        label = named.get(name, name) if not given or name in asked else FLEET
        found[label] = (*found.get(label, ()), name)
    return found


def own_priced(
    questions: tuple[Question, Question], prices: tuple[Prices, Prices], *, given: bool = False
) -> frozenset[str]:
    """Return the GPUs that only one of two plans was asked about, or was given, with another price typed of them.

    The price comes and goes with the GPU. `prices` are those that each plan pays, by GPU.
    """
    if not given and questions[0].gpus == questions[1].gpus:
        return frozenset()
    old, new = (dict(typed(one.price_terms, one.prices)) for one in questions)
    return frozenset(gpu for gpu in prices[0].keys() ^ prices[1].keys() if old.get(gpu) != new.get(gpu))


def by_owner(question: Question, own: frozenset[str]) -> tuple[Question, Question]:
    """Return a question with its prices of the GPUs `own` alone, and with all others alone."""
    theirs, others = (tuple(one for one in question.prices if (one[0] in own) is mine) for mine in (True, False))
    return replace(question, prices=theirs), replace(question, prices=others)


def _steps(found: Causes) -> list[Step]:
    base, whole = found.anew
    alone = [step_of(one.label, _change(one.label, found), one.beside or base, one.outcome) for one in found.alone]
    return [*with_rest(alone, base, whole), *_up_to_the_total(found, base, whole)]


def _chain(found: Causes, steps: Sequence[Step]) -> list[Step]:
    """Return what each input adds to those before it, up to the total; nothing where that is what each adds alone."""
    *alone, _, _ = steps
    if len(found.chain) < 3 or found.chain[0].cost is None or found.chain[-1].cost is None:
        return []
    together = alone.pop()
    if together.cost is not None and not together.gpus and abs(together.cost) <= ALIKE * _dearest(found):
        return []
    added = in_turn([(one.cause, _named(one)) for one in alone], found.chain)
    return [*added, *_up_to_the_total(found, found.chain[0], found.chain[-1])] if len(added) > 1 else []


def _up_to_the_total(found: Causes, base: Outcome, whole: Outcome) -> tuple[Step, Step]:
    """Return what the kept plans differ by beyond `base` and the `whole` of its inputs, and by how much in all."""
    gpus, cost, ttft = _total(found.old.answer, found.new.answer)
    proof = Step(
        cause=PROOF,
        change=_proof_words(found),
        gpus=rest(gpus, [more(whole.gpus, base.gpus)]),
        cost=rest(cost, [more(whole.cost, base.cost)]),
        ttft=rest(ttft, [more(whole.ttft, base.ttft)]),
    )
    return proof, Step(cause=TOTAL, change="as the plans are kept", gpus=gpus, cost=cost, ttft=ttft)


def _proof_words(found: Causes) -> str:
    before, after = ("formula" if one.simulation is None else "simulation" for one in (found.old, found.new))
    engines = {one.plan.engine_version for one in (found.old, found.new)}
    if before != after:
        return f"method {before} -> {after}{'' if engines == {ENGINE_VERSION} else ', or another engine'}"
    return "what simulation moved" if engines == {ENGINE_VERSION} else "what simulation or another engine moved"


def _total(old: Candidate | None, new: Candidate | None) -> tuple[float | None, float | None, float | None]:
    """Return by how much the kept fleets differ: GPUs, US dollars an hour, and seconds of TTFT as each is proven."""
    if old is None or new is None:
        return None, None, None
    before, after = (_ttft(one) for one in (old, new))
    return new.gpus - old.gpus, new.cost_per_hour - old.cost_per_hour, more(after, before)


def _ttft(fleet: Candidate) -> float | None:
    """Return a fleet's TTFT in its worst pool in seconds, simulated where it was; None where it is without end."""
    found = fleet_text.worst(fleet, TTFT.latency)
    return None if found is None else found.value


def _change(label: str, found: Causes) -> str:
    """Return what is other in the part of the questions called `label`."""
    if label == FLEET:
        fleets = ("searched for" if one is None else f"{fleet_text.fleet(one)}, given" for one in found.given)
        priced = _paid(label, found)
        return " -> ".join(fleets) + (f", {PRICES} {' -> '.join(priced)}" if priced else "")
    old, new = (_texts(question, label) for question in found.questions)
    if label in (GPUS, TYPED) and (both := _paid(label, found)):
        old[PRICES], new[PRICES] = both
    names = [name for name in BY_NAME if old.get(name) != new.get(name)]
    if not names:
        return "the same name, another content" if label == LENGTHS else "other figures of the same hardware"
    pairs = [(name, old.get(name, "none"), new.get(name, "none")) for name in names]
    return ", ".join(f"{'' if name == label else f'{name} '}{before} -> {after}" for name, before, after in pairs)


def _paid(label: str, found: Causes) -> tuple[str, ...]:
    """Return the prices of both plans that are other in the part called `label`: those of its own GPUs, or others."""
    own = own_priced(found.questions, found.prices, given=any(one is not None for one in found.given))
    theirs, others = zip(*(by_owner(one, own) for one in found.questions), strict=True)
    return paid(others if label == TYPED else theirs, found.prices)


def _texts(question: Question, label: str) -> dict[str, str]:
    """Return the texts of the keys that belong to the part of the question called `label`."""
    fields = parts_of().get(label, ())
    texts = to_texts(question).items()
    return {name: text for name, text in texts if BY_NAME[name].field.partition(".")[0] in fields}


def _sentences(found: Causes, steps: Sequence[Step], chain: Sequence[Step]) -> Iterator[str]:
    *parts, total = steps
    old, new = found.old.plan.called, found.new.plan.called
    if total.cost is None:
        yield f"{old if found.old.answer is None else new} has no fleet that holds every limit: no sum can be told"
    elif abs(total.cost) <= ALIKE * _dearest(found):
        yield f"{new} costs what {old} costs"
    else:
        yield f"{new} costs {units.cents_per_hour(abs(total.cost))} {'more' if total.cost > 0 else 'less'} than {old}"
    told = [one for one in parts if one.cost is not None and abs(one.cost) > ALIKE * _dearest(found)]
    for one in sorted(told, key=lambda step: -abs(step.cost or 0.0)):
        yield f"{_named(one)}: {_signed(one)}"
    for one in parts:
        if one.cost is None and one.cause not in (TOGETHER, PROOF):
            yield f"{_named(one)} alone: no fleet holds ({one.limited_by})"
    if chain:
        how = "" if found.chain[0].simulated or not found.anew[0].simulated else f", {BY_FORMULA}{CORRECTED}"
        in_order = (f"{_named(one)}: {_signed(one) if one.cost else 'nothing'}" for one in chain[:-2])
        yield f"one after the other{how}: {'; then '.join(in_order)}"
    by_formula = [one.label for one in found.alone if one.beside is not None]
    if told and not found.anew[0].simulated:
        yield f"each input alone is {BY_FORMULA}{f'{CORRECTED}, {OF_THEIRS}' if found.corrected else ''}"
    elif by_formula:
        yield f"those that move least are {BY_FORMULA}{CORRECTED}: {', '.join(by_formula)}"


def _named(step: Step) -> str:
    if step.cause == TOGETHER:
        return "the inputs together, beyond the sum of each alone"
    says_it = step.cause == PROOF or step.change.partition(" ")[0] in BY_NAME
    return step.change if says_it else f"{step.cause} {step.change}"


def _signed(step: Step) -> str:
    assert step.cost is not None, "what is undefined has no sign"
    gpus = "" if not step.gpus else f", {step.gpus:+,.0f} GPU{'' if abs(step.gpus) == 1 else 's'}"
    return f"{'+' if step.cost > 0 else '-'}{units.cents_per_hour(abs(step.cost))}{gpus}"


def _dearest(found: Causes) -> float:
    return max([1.0, *(one.answer.cost_per_hour for one in (found.old, found.new) if one.answer is not None)])


COLUMNS: tuple[Declared[Step], ...] = (
    ("cause", "text", lambda one: one.cause),
    ("change", "text", lambda one: one.change),
    ("gpus", "count", lambda one: None if one.gpus is None else round(one.gpus)),
    ("cost_per_hour", "dollars per hour", lambda one: one.cost),
    ("ttft", "seconds", lambda one: one.ttft),
    ("limited_by", "text", lambda one: one.limited_by),
)


def _chain_table(chain: Sequence[Step], found: Causes) -> StudyTable:
    how = BY_FORMULA + CORRECTED * found.corrected
    labels = {one.label for one in found.alone} | {PROOF, TOTAL}
    several = any(one.cause not in labels for one in chain)
    return table_of(
        f"what each input adds to those above it, {'as simulated' if found.chain[0].simulated else how}",
        chain,
        *COLUMNS,
        note="the inputs in the order of a question, up to the same total"
        + ", prices before GPUs" * ({GPUS, TYPED} <= labels)
        + "; several in one row: no fleet holds with the first of them alone" * several,
    )


def _table(steps: Sequence[Step], found: Causes) -> StudyTable:
    formula = {one.label for one in found.alone if one.beside is not None}

    def seen(step: Step) -> str:
        return f"~{BY_FORMULA}" if step.cause in formula else "simulated"

    title, note = f"what one input adds at a time, {BY_FORMULA}", "what simulation says beyond the formulas is in proof"
    if found.anew[0].simulated and len(found.alone) == 1:
        title, note = "what the one input that differs adds, as simulated", "no other input differs"
    elif found.anew[0].simulated:
        title, note = "what each input adds alone, as simulated", "what inputs do only with each other is in together"
    elif found.corrected:
        title += CORRECTED
    return table_of(
        f"{title}; TTFT in the worst pool",
        steps,
        *COLUMNS,
        *([("seen", "text", seen)] if any(one.beside is not None for one in found.alone) else ()),
        note=f"GPUs, cost and TTFT add up to the total, which is that of the plans as they are proven: {note}",
    )


def _warnings(found: Causes) -> Iterator[str]:
    for plan in (found.old, found.new):
        if plan.plan.engine_version != ENGINE_VERSION:
            yield (
                f"{plan.plan.called} was made by engine {plan.plan.engine_version}, this is {ENGINE_VERSION}: "
                f"what that changed is in {PROOF}"
            )
