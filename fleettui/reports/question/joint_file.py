"""A question file with several workloads over one stock: a list `workloads`, and beside it what all of them share.

Each entry of the list has a name and any key of a question; keys beside the list stand for every entry that does not
have them. What limits all fleets together (stock, budget, power) and what must be one for all stands beside the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import PurePath
from typing import Any

from fleettui.domain.joint import JOINT_OBJECTIVES, LONGEST_JOINT_NAME, Entry, JointQuestion, SharedLimits
from fleettui.domain.scenario import Question
from fleettui.errors import Gathered, InputError, SeveralErrors, gathering
from fleettui.reports import located_yaml
from fleettui.reports.located_yaml import Part
from fleettui.reports.question import conversion
from fleettui.reports.question.conversion import Texts
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.price_keys import PAYMENT
from fleettui.reports.question.question_file import TEMPLATE, texts_of

ENTRIES, CLASS = "workloads", "class"
LIMITS = tuple(key.name for key in BY_NAME.values() if key.field in {one.name for one in fields(SharedLimits)})
SHARED = (*LIMITS, *PAYMENT, "objective", "verify", "preset")
"""Keys that stand beside the list only: limits of all fleets together, and what is one for all of them."""
EXAMPLE = "workloads: a list of entries, each '- name: chat' with the keys of a question below it"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryTexts:
    """An entry of the list as it stands in the file, and where that is."""

    name: str
    service_class: str
    texts: Texts
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTexts:
    """A whole file: its entries, the texts beside them, and the file's name."""

    entries: tuple[EntryTexts, ...]
    shared: Texts
    where: str


def has_entries(text: str, where: str) -> bool:
    """Return whether a question file has a list of workloads; raises InputError where it is no YAML."""
    return ENTRIES in _keys(text, where, Gathered())


def _keys(text: str, where: str, errors: Gathered) -> dict[str, Part]:
    top = located_yaml.read_yaml(text, where, TEMPLATE, errors)
    return top.value if top is not None and isinstance(top.value, dict) else {}


def read(text: str, where: str, errors: Gathered | None = None) -> JointTexts:
    """Return the texts of a file with a list of workloads; raises InputError with the lines of what is wrong.

    What is wrong with a key or an entry is put aside in `errors` where they are given.
    """
    with gathering(errors) as found:
        beside = _keys(text, where, found)
        listed = beside.pop(ENTRIES)
        shared = texts_of(beside, where, found)
        with found.aside():
            _check_beside(shared)
        if not isinstance(listed.value, list) or not listed.value:
            raise InputError("this is no list of workloads", where=f"{where} line {listed.line}", accepted=EXAMPLE)
        entries = tuple(entry for one in listed.value if (entry := _entry(one, where, found)) is not None)
        with found.aside():
            _check_names(entries)
    return JointTexts(entries=entries, shared=shared, where=where)


_OF_ONE = {
    "power-price": "a joint plan does not tell what electricity costs",
    "max-feed": "a joint plan limits what its GPUs draw (max-power), not the feed",
    "carbon": "a joint plan does not tell what tokens emit",
}
"""Keys that only a workload that is planned alone answers to, and what is said of them in a joint plan."""


def check_alone(texts: Texts) -> None:
    """Raise InputError where a joint plan is asked for what only a plan of one workload does."""
    for name, what in _OF_ONE.items():
        if name in texts:
            raise InputError(what, where=texts[name].where, remedy=f"leave out {name}, or plan this workload alone")


def _check_beside(shared: Texts) -> None:
    check_alone(shared)
    for name in ("workload", "prompt", "output"):
        if name in shared:
            raise InputError(
                "this stands beside a list of workloads",
                where=shared[name].where,
                remedy=f"move {name} into an entry of the list, or leave out the list",
            )


def _entry(part: Part, where: str, errors: Gathered) -> EntryTexts | None:
    """Return an entry's texts, None where it can have no place; `errors` get what is wrong."""
    with errors.aside():
        return _entry_of(part, where, errors)
    return None


def _entry_of(part: Part, where: str, errors: Gathered) -> EntryTexts:
    place = f"{where} line {part.line}"
    if not isinstance(part.value, dict):
        raise InputError("this entry has no keys", where=place, accepted=EXAMPLE)
    parts = dict(part.value)
    service_class = _class_of(parts.pop(CLASS, Part(None)), where)
    texts = texts_of(parts, where, errors)
    named = texts.pop("name", None)
    if named is None:
        raise InputError("this workload has no name", where=place, remedy="add name: chat, or what you call it")
    with errors.aside():
        check_alone(texts)
    for key in SHARED:
        with errors.aside():
            if key in texts:
                raise InputError(
                    "this is shared by all workloads", where=texts[key].where, remedy=f"move {key} out of the list"
                )
    name = named.text.strip()
    return EntryTexts(name=name, service_class=service_class, texts=texts, where=f"{place}, {name}")


def _class_of(part: Part, where: str) -> str:
    if part.value is None:
        return ""
    if not isinstance(part.value, str) or not 0 < len(part.value.strip()) <= LONGEST_JOINT_NAME:
        raise InputError(
            "this is no class of service", where=f"{where} line {part.line}", accepted="a word: interactive, batch"
        )
    return part.value.strip()


def _check_names(entries: tuple[EntryTexts, ...]) -> None:
    known: dict[str, EntryTexts] = {}
    for one in entries:
        if one.name in known:
            raise InputError(
                "two workloads have one name",
                where=f"{known[one.name].where} and {one.where}",
                accepted="a name of its own for each",
            )
        known[one.name] = one


def to_joint(found: JointTexts, *, typed: Texts, own: Texts, errors: Gathered | None = None) -> JointQuestion:
    """Return the question of a file; `typed` wins over it, and `own`, the settings, stand where it says nothing.

    Raises InputError for what does not read, with the places that it stands in, `errors` of the file's reading first.
    """
    aside = errors or Gathered()
    for name in ("workload", "prompt", "output"):
        if name in typed:
            raise InputError(
                "the question file lists its workloads", where=typed[name].where, remedy="leave it out, or the file"
            )
    check_alone(typed)
    _check_demand(found, typed)
    beside = {**own, **found.shared, **typed}
    shared = conversion.parse({name: given for name, given in beside.items() if name in SHARED}, aside)
    with aside.aside():
        _check_shared(shared, beside)
    layers = [_layers(one, typed, found.shared, own) for one in found.entries]
    parsed = [conversion.parse(conversion.merge(own_layers), aside) for own_layers in layers]
    aside.check()
    named = conversion.merge([typed, found.shared]).get("name")
    name = named.text.strip() if named is not None else PurePath(found.where).stem[:LONGEST_JOINT_NAME]
    limits = SharedLimits(**{BY_NAME[key].field: shared[key] for key in LIMITS if key in shared})
    entries = []
    for one, values in zip(found.entries, parsed, strict=True):
        with aside.aside():
            entries.append(_to_entry(one, values, name, shared, limits))
    aside.check()
    return JointQuestion(
        name=name,
        entries=tuple(entries),
        limits=limits,
        objective=shared.get("objective", "cost"),
        verify=shared.get("verify", True),
        seed=entries[0].question.seed,
    )


def _check_demand(found: JointTexts, typed: Texts) -> None:
    """Raise InputError for a demand that would take the place of those that workloads have of their own."""
    if any(entry.texts.keys() & conversion.DEMAND_KEYS for entry in found.entries):
        for name in sorted(typed.keys() & conversion.DEMAND_KEYS):
            raise InputError(
                "workloads of the question file have a demand of their own",
                where=typed[name].where,
                remedy="leave it out, or change it in the file",
            )


def _check_shared(shared: Mapping[str, Any], texts: Texts) -> None:
    if shared.get("objective", "cost") not in JOINT_OBJECTIVES:
        raise InputError(
            "several workloads together have no single latency to minimize",
            where=texts["objective"].where,
            value=shared["objective"],
            accepted=", ".join(JOINT_OBJECTIVES),
        )
    if shared.get("preset", "recommended") == "paper":
        raise InputError("preset paper knows one workload at a time", where=texts["preset"].where, value="paper")


def _layers(entry: EntryTexts, typed: Texts, shared: Texts, own: Texts) -> list[Texts]:
    """Return the texts that an entry's question has, the strongest first."""
    layers = (typed, entry.texts, shared, own)
    return [{name: text for name, text in layer.items() if name not in (*SHARED, "name")} for layer in layers]


def _to_entry(
    entry: EntryTexts, values: conversion.Values, joint: str, shared: Mapping[str, Any], limits: SharedLimits
) -> Entry:
    """Return an entry of the joint plan called `joint`, whose spares fill nodes where `limits` are on these."""
    try:
        paid = {name: shared[name] for name in PAYMENT if name in shared}
        question: Question = conversion.to_question({**values, **paid})
        fails = question.availability is not None or question.failures is not None
        of_nodes = limits.whole_nodes or bool(limits.max_gpus) or limits.max_total_gpus is not None
        return Entry(
            name=entry.name,
            service_class=entry.service_class,
            question=replace(
                question,
                name=f"{joint}/{entry.name}",
                verify=shared.get("verify", True),
                shared_nodes=fails and of_nodes,
            ),
        )
    except InputError as error:
        raise placed(error, entry.where) from None


def placed(error: InputError, where: str) -> InputError:
    """Return `error` with the place that it is about, where it says none itself."""
    if isinstance(error, SeveralErrors):
        return SeveralErrors([placed(one, where) for one in error.found])
    return error if error.where is not None else error.at(where)
