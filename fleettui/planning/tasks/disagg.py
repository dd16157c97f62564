"""The tasks of the study `disagg`: both ways to a kept plan's need by formula, and where the cheaper one changes."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.disagg import Axis, Disaggregated, Flip
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.hardware import catalog
from fleettui.hardware.kv_transfer import cache_size, links_between
from fleettui.optimize.disagg import LinksOf
from fleettui.optimize.disagg_or_not import Asked, asked_values, flip, lost
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import checked
from fleettui.planning.tasks.simulation_inputs import KEPT, scene_of
from fleettui.planning.tasks.task_cache import Recent

ROWS = 6
"""Disaggregated fleets that are handed out: the best of each two GPU types."""

_recent = Recent[Asked](KEPT)


def run(
    context: Context,
    *,
    source: SceneSource,
    near: tuple[str, ...],
    left_out: tuple[str, ...],
    link: float | None,
) -> Disaggregated:
    """Return both ways to the need of a scene.

    Fleets whose replicas do both are of the GPU types `near`, none of which costs much more than the plan's, and no
    GPU type of `left_out` is used. Raises InputError for a GPU whose network nobody knows.
    """
    asked = _asked(source, near, left_out, link)
    context.progress("searching fleets whose replicas do both, at every token budget")
    both = asked.colocated
    context.progress("searching fleets that prefill and decode apart")
    found = asked.disaggregated(ROWS)
    return Disaggregated(
        rows=tuple(one.figures for one in found),
        colocated=both,
        flips=(),
        lost=lost(asked.narrowed(), found[0]) if found else None,
        left_out=left_out,
    )


def axes(
    context: Context, *, source: SceneSource, near: tuple[str, ...], left_out: tuple[str, ...], link: float | None
) -> tuple[tuple[Axis, float], ...]:
    """Return the inputs that may be moved, with their values; none where no disaggregated fleet holds."""
    context.check()
    best = _asked(source, near, left_out, link).best
    asked = _asked(source, near, left_out, link)
    return () if best is None else tuple(asked_values(asked, best.pair.links.each).items())


def flips(
    context: Context,
    *,
    source: SceneSource,
    near: tuple[str, ...],
    left_out: tuple[str, ...],
    link: float | None,
    axis: Axis,
    value: float,
) -> Flip:
    """Return where the cheaper way changes as one input moves from its `value`."""
    asked = _asked(source, near, left_out, link)
    narrowed = _recent.get(f"narrowed {_key(source, left_out, link)}", asked.narrowed)
    return flip(narrowed, axis, value, context.check)


def _asked(source: SceneSource, near: tuple[str, ...], left_out: tuple[str, ...], link: float | None) -> Asked:
    return _recent.get(_key(source, left_out, link), lambda: _make(source, near, left_out, link))


def _key(source: SceneSource, left_out: tuple[str, ...], link: float | None) -> str:
    return f"{source.key} {' '.join(left_out)} {link!r}"


def _make(source: SceneSource, near: tuple[str, ...], left_out: tuple[str, ...], link: float | None) -> Asked:
    scene = scene_of(source)
    question = checked(scene.question)
    profiles = [one for one in scene.profiles if one.gpu not in left_out]
    model = catalog.model(question.model)
    return Asked(
        question=question,
        slices=scene.case.at(scene.rate),
        profiles=profiles,
        both=[one for one in profiles if one.gpu in near],
        grid=question.splits or scene.case.grid(),
        context=scene.context,
        cache_of=lambda dtype: cache_size(model, dtype),
        links_of=lambda typed: _links(question, profiles, typed),
        link=link,
    )


def _links(question: Question, profiles: Sequence[Profile], typed: float | None) -> LinksOf:
    """Return the links of two profiles by the GPUs of the question, else of the catalogue."""
    known = {one.name: one for one in catalog.asked_gpus(question.gpus, dict(question.prices))}
    gpus = {one.gpu: known.get(one.gpu) or catalog.gpu(one.gpu) for one in profiles}
    return lambda prefill, decode: links_between(prefill, decode, gpus, typed)
