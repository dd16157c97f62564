"""From typed texts to a Question and back, and which text wins where several are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import PurePath
from typing import Any

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand
from fleettui.domain.features import Features
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import LENGTHS, TypedRange
from fleettui.errors import Gathered, InputError, gathering
from fleettui.hardware import catalog
from fleettui.reports import slo_text
from fleettui.reports.question.failure_keys import AVAILABILITY, AVAILABILITY_OF, FAILURES, REPAIR, check_unit
from fleettui.reports.question.key import HOLDERS, Key
from fleettui.reports.question.keys import BY_NAME, DEMAND_FORMS, KEYS, LEFT_KEYS
from fleettui.reports.question.price_keys import CLASS, LIST, PRICES, check_class, priced, typed
from fleettui.visible import check_text

DTYPE, LAW, FIT = "dtype", "step-law", "profile"
"""Keys whose value depends on another's, and that of the own fit, which a kept question holds whole."""
COMPRESSIBLE = "compressible"
DEMAND_KEYS = frozenset(key.name for key in KEYS if key.demand)
_LEFT = frozenset(key.name for key in LEFT_KEYS)
EXCLUDING = (
    (frozenset({"workload"}), frozenset({"prompt", "output"})),
    (frozenset({"prompt", "output"}), frozenset({"workload"})),
    (frozenset({AVAILABILITY}), frozenset({FAILURES, REPAIR})),
    (frozenset({FAILURES, REPAIR}), frozenset({AVAILABILITY, AVAILABILITY_OF})),
)
"""Keys, and those that they silence in weaker layers."""
EXAMPLE = "fleettui plan azure-2023-conv --rate 100/s --slo-ttft 500ms"
FLEET_EXAMPLE = "fleettui simulate fleet.yaml azure-2023-conv --rate 100/s"


@dataclass(frozen=True, slots=True)
class Given:
    """A text for a key and the place it came from: an option, a file's line, a variable."""

    text: str
    where: str


Texts = Mapping[str, Given]
Values = dict[str, Any]


def merge(layers: Iterable[Texts]) -> dict[str, Given]:
    """Return the texts that win; the first layer is the strongest.

    A layer that says how much is asked for in another form silences the weaker layers' demand, and one that names
    a workload silences their percentiles, and the reverse; so do an availability and the failures that make one.
    """
    merged: dict[str, Given] = {}
    for layer in layers:
        silenced = _silenced(merged)
        merged |= {name: given for name, given in layer.items() if name not in merged and name not in silenced}
    return merged


def _silenced(stronger: Texts) -> frozenset[str]:
    forms = {BY_NAME[name].demand for name in stronger if name in DEMAND_KEYS}
    silenced = frozenset(name for name in DEMAND_KEYS if forms and BY_NAME[name].demand not in forms)
    for said, others in EXCLUDING:
        silenced |= others if said & stronger.keys() else frozenset()
    return silenced


def parse(texts: Texts, errors: Gathered | None = None) -> Values:
    """Return each key's value in SI units; raises InputError for all texts that do not read.

    Where `errors` are given, they are put aside there, and the values of the others are returned.
    """
    values = {}
    with gathering(errors) as found:
        with found.aside():
            check_together(texts)
        for name, given in texts.items():
            with found.aside():
                check_text(given.text, given.where)
                values[name] = BY_NAME[name].read(given.text, given.where)
    return _of_fit(values) | values


def _of_fit(values: Values) -> Values:
    """Return the law of an own fit, by which its steps are timed unless another is said."""
    return {LAW: values[FIT].step_law} if FIT in values else {}


def check_together(texts: Texts) -> None:
    """Raise InputError where texts contradict each other or lack their companion."""
    forms = {form: _spokesman(form, texts) for form in DEMAND_FORMS if _spokesman(form, texts)}
    if len(forms) > 1:
        raise InputError(
            "demand is given in two forms",
            where=" and ".join(sorted(texts[name].where for name in forms.values())),
            accepted=f"one of {', '.join(BY_NAME[name].option for name in DEMAND_FORMS)}",
            remedy="keep the one that you know best",
        )
    for form, name in forms.items():
        _need(texts, name, form)
    if "users" in texts:
        _need(texts, "users", "requests-per-user")
    if "prompt" in texts or "output" in texts:
        _need(texts, "prompt" if "prompt" in texts else "output", "output" if "prompt" in texts else "prompt")
        if "workload" in texts:
            raise InputError(
                "lengths are given twice",
                where=f"{texts['prompt'].where} and {texts['workload'].where}",
                accepted="a workload, or --prompt with --output",
            )
    if LIST in texts and CLASS not in texts:
        check_class(texts[LIST].text, texts[LIST].where)
    if FAILURES in texts and AVAILABILITY_OF in texts:
        check_unit(texts[FAILURES].text, texts[AVAILABILITY_OF].text, texts[AVAILABILITY_OF].where)


def _spokesman(form: str, texts: Texts) -> str:
    """Return the first given key of a demand form, its head if that is given; empty where none is."""
    return next((key.name for key in KEYS if key.demand == form and key.name in texts), "")


def _need(texts: Texts, name: str, companion: str) -> None:
    """Raise InputError when `name` is given without `companion`."""
    if companion not in texts:
        key = BY_NAME[companion]
        raise InputError(
            f"this goes with {key.option}", where=texts[name].where, remedy=f"add {key.option} {key.example}"
        )


def to_question(values: Values, fleet: FleetSketch | None = None) -> Question:
    """Return the question that `values` make, about `fleet` where one is given.

    Raises InputError when the workload is missing, or every SLO; a given fleet can be looked at without any. What
    `values` say of a fleet that is given is in that fleet.
    """
    if fleet is not None:
        values = {name: value for name, value in values.items() if name not in _LEFT}
    aside = Gathered()
    with aside.aside():
        _check_lengths(values, EXAMPLE if fleet is None else FLEET_EXAMPLE)
    with aside.aside():
        values = priced(values)
    demand = next((form for form in DEMAND_FORMS if form in values), "trace")
    parts: dict[str, Values] = {part: {} for part in HOLDERS} | {"demand": {"form": demand}}
    for name, value in _with_a_meaning(_today(fleet) | _of_fit(values) | values).items():
        part, _, field = BY_NAME[name].field.rpartition(".")
        parts[part] |= of_measured(value) if isinstance(value, MeasuredShare) else {field: planned_at(value)}
    ranges = (value for value in values.values() if isinstance(value, TypedRange))
    parts[""]["ranges"] = tuple(sorted(ranges, key=attrgetter("key")))
    slo, asked, bounds, features, lengths = Slo(), Demand(), Bounds(), Features(), AS_RECORDED
    with aside.aside():
        slo = Slo(**parts["slo"])
        if fleet is None:
            slo.require_a_limit()
    with aside.aside():
        asked = Demand(**parts["demand"])
    with aside.aside():
        bounds = Bounds(**parts["bounds"])
    with aside.aside():
        features = Features(**parts["features"])
    with aside.aside():
        lengths = Lengths(**parts["lengths"])
    given = _published(values) if fleet is None else _of_fleet(fleet)
    with aside.aside():
        own: Values = {"demand": asked, "slo": slo, "bounds": bounds, "features": features, "lengths": lengths}
        question = Question(**own, **parts[""], **given)
    aside.check()
    return question


def of_measured(found: MeasuredShare) -> Values:
    """Return the fields of a question that a measured share fills."""
    return {"compressible": found.share, "compressor": found}


def planned_at(value: Any) -> Any:
    """Return the value that a plan is made at: the middle of a range."""
    return value.middle if isinstance(value, TypedRange) else value


def _today(fleet: FleetSketch | None) -> Values:
    """Return what a new question says unsaid that one which was kept does not.

    A fleet whose pools have step times of their own, which no kernels made, is as well known as those times.
    """
    pinned = fleet is not None and any(pool.profile and not pool.profile.by_kernels for pool in fleet.pools)
    return {key.name: key.read(key.now, None) for key in KEYS if key.now and not (pinned and key.name == LAW)}


def _with_a_meaning(values: Values) -> Values:
    """Return `values` without what an availability is of where none is said."""
    return values if AVAILABILITY in values else {name: one for name, one in values.items() if name != AVAILABILITY_OF}


def _check_lengths(values: Values, example: str) -> None:
    if not ({"workload", "prompt"} & values.keys()):
        raise InputError(
            "no workload is given",
            accepted="a shipped name (fleettui workload list), a file, or --prompt p50=900,p99=8k with --output",
            remedy=f"for example {example}",
        )


def default_of(key: Key, model: str | None) -> str:
    """Return the text of what a key says unsaid: its default, and of a `model` the number format that is published."""
    return catalog.published_dtype(model or BY_NAME["model"].default) if key.name == DTYPE else key.default


def _published(values: Values) -> Values:
    """Return the number format of the model's published weights where none is said."""
    return {} if DTYPE in values else {DTYPE: default_of(BY_NAME[DTYPE], values.get("model"))}


def _of_fleet(fleet: FleetSketch) -> Values:
    """Return what a given fleet says of its question; of several models the first pool's."""
    first = fleet.pools[0]
    return {
        "model": first.model,
        "dtype": first.dtype,
        "expert_parallel": first.expert_parallel,
        "kv_dtype": None if first.kv_dtype == "bf16" else first.kv_dtype,
        "router": fleet.router,
        "router_refresh": fleet.router_refresh,
        "admission": fleet.admission,
    }


def to_values(question: Question) -> Values:
    """Return the value of every key that `question` sets; what it leaves open is absent."""
    asked = (key for key in BY_NAME.values() if key.demand in ("", question.demand.form))
    own: Values = {PRICES: typed(question.price_terms, question.prices), **{one.key: one for one in question.ranges}}
    own |= {} if question.compressor is None else {COMPRESSIBLE: question.compressor}
    said = (
        key for key in asked if key.name in own or key.name not in LENGTHS or attrgetter(key.field)(question) != 1.0
    )
    values = ((key, own[key.name] if key.name in own else attrgetter(key.field)(question)) for key in said)
    return _with_a_meaning({key.name: value for key, value in values if key.default or value not in (None, (), "")})


def to_texts(question: Question) -> dict[str, str]:
    """Return the text of every key that `question` sets."""
    return {name: BY_NAME[name].write(value) for name, value in to_values(question).items()}


def given_at(texts: Mapping[str, str], where: str) -> dict[str, Given]:
    """Return texts as if all of them were given at `where`."""
    return {name: Given(text, where) for name, text in texts.items()}


def summary(question: Question) -> str:
    """Return the question in one line: workload (of a path the last part), model, latency limits.

    >>> summary(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5)))
    'azure-2023-conv  llama-3.1-70b bf16  P99 TTFT<500ms'
    """
    lengths = PurePath(question.workload).name if question.workload else "lengths by percentile"
    factors = ((name, getattr(question.lengths, name)) for name in LENGTHS.values())
    lengths += "".join(f" {name}s x{factor:g}" for name, factor in factors if factor != 1.0)
    least = "" if question.objective == "cost" else f"  least {question.objective}"
    return f"{lengths}  {question.model} {question.dtype}  {slo_text.limits(question.slo) or 'no SLO'}{least}"
