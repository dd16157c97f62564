"""The settings that a plan may search for by trying each value: what of each is tried under a question.

A new one is a row of SETTINGS, and its form among the keys; a runtime feature says itself what is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

from fleettui.domain import drafts_tried, graph_bins, kv_offload
from fleettui.domain.features import FEATURES
from fleettui.domain.features.feature import Feature
from fleettui.domain.left_to_search import left_to_search
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.planning.routers_that_apply import Applying
from fleettui.planning.scheduler_checks import check_scheduler
from fleettui.routing import ROUTERS, formula_kind
from fleettui.scheduling import SCHEDULERS


def asked_with(question: Question, name: str) -> Question:
    """Return a question with a router, which looks at loads as often as was asked if it looks at any."""
    refresh = question.router_refresh if ROUTERS.named(name).knows else None
    return replace(question, router=name, router_refresh=refresh)


def _router_kind(question: Question) -> object:
    return formula_kind(ROUTERS.named(question.router))


def _admission_kind(question: Question) -> object:
    scheduler = SCHEDULERS.named(question.admission)
    return scheduler.alone, scheduler.reserves


def _offload_kind(question: Question) -> object:
    """Formulas know what prefix caches drop, and nothing of what is preempted."""
    return question.kv_offload if question.prefix_cache else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting: its `option`, what is `tried` of it under a question, the first the usual one, and how it is `set`.

    `value` is that of a question, `kind` what the formulas know of it: questions of one kind are sized alike.
    """

    option: str
    tried: Callable[[Question], tuple[str, ...]]
    set: Callable[[Question, str], Question]
    value: Callable[[Question], str]
    kind: Callable[[Question], object]

    def name(self, question: Question) -> str:
        """Return what a question has of it, in words."""
        return self.value(question) or "none"


def _of_key(
    option: str,
    key: str,
    tried: Callable[[Question], tuple[str, ...]],
    kind: Callable[[Question], object] | None = None,
) -> Setting:
    """Return the setting that is one key of a question; without a `kind` formulas know each of its values."""

    def value(asked: Question) -> str:
        return str(getattr(asked, key))

    return Setting(
        option=option,
        tried=tried,
        set=lambda asked, text: replace(asked, **{key: text}),  # type: ignore[arg-type]
        value=value,
        kind=kind or value,
    )


def _of_feature(feature: Feature) -> Setting:
    """Return the setting that is a runtime feature, of which the formulas know nothing."""

    def set_to(asked: Question, text: str) -> Question:
        return replace(asked, features=replace(asked.features, **{feature.field: text}))

    return Setting(
        option=feature.option,
        tried=lambda _: ("", *feature.tried),
        set=set_to,
        value=lambda asked: str(getattr(asked.features, feature.field)),
        kind=lambda _: None,
    )


SETTINGS = (
    Setting(
        option="--router",
        tried=lambda asked: Applying.to(asked, max(asked.pools)).names,
        set=asked_with,
        value=lambda asked: asked.router,
        kind=_router_kind,
    ),
    _of_key("--admission", "admission", lambda _: SCHEDULERS.names, _admission_kind),
    _of_key("--graph-bins", "graph_bins", lambda _: graph_bins.TRIED),
    _of_key("--speculative", "speculative", lambda asked: drafts_tried.tried(asked.speculative)),
    _of_key("--kv-offload", "kv_offload", lambda asked: kv_offload.tried(asked.kv_offload), _offload_kind),
    *(_of_feature(one) for one in FEATURES if one.tried),
)


def searched(question: Question) -> tuple[Setting, ...]:
    """Return the settings that a question leaves to the search."""
    left = left_to_search(question)
    return tuple(one for one in SETTINGS if one.option in left)


def combinations(question: Question, settings: tuple[Setting, ...]) -> tuple[Question, ...]:
    """Return a question with every combination of what is tried of these settings, those that go together.

    Raises InputError where none does.
    """
    found, refusals = list[Question](), list[InputError]()
    for values in product(*(one.tried(question) for one in settings)):
        asked = question
        try:
            for setting, value in zip(settings, values, strict=True):
                asked = setting.set(asked, value)
            check_scheduler(asked, asked.admission)
        except InputError as refusal:
            refusals.append(refusal)
        else:
            found.append(asked)
    if not found:
        raise refusals[0]
    return tuple(found)
