"""The tasks `fitted`: fleets of the hardware that a question's own fit has seen, and the fit made to hold for more."""

from __future__ import annotations

import math
from dataclasses import replace

from fleettui.domain.calibration import Calibration, ServerFit
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.seen_fleets import by_replica
from fleettui.domain.serialization import encode
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.confidence import known_by
from fleettui.planning.tasks.plan import answer_case
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.planning.tasks.simulation_inputs import scene_of
from fleettui.planning.tasks.sure_fleet import sized_shapes
from fleettui.planning.walked_shapes import walked_shapes


def fleets(context: Context, *, source: SceneSource, answer: Answer) -> list[Candidate]:
    """Return the fleets that hold by formula of what the own fit has seen alone, the best first.

    The candidates of `answer` correct the formulas. Where the question wishes how sure a fleet is they are as sure.
    """
    context.check()
    scene = scene_of(source)
    seen = tuple(one for one in scene.profiles if scene.question.fit_of(one) is not None)
    if not seen:
        return []
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    found = answer_case(scene.question, scene.case, seen, scene.context, anchors=anchors)
    if found.answer is None:
        return []
    if scene.question.confidence is not None:
        return [*sized_shapes(found, replace(scene, profiles=seen), known_by(anchors))]
    return walked_shapes([one for one in found.candidates if not one.shortfalls], found.answer, scene.question)


def wider(context: Context, *, source: SceneSource) -> list[SceneSource]:
    """Return the scene whose own fit holds for each division of the GPUs and models that it has seen, too.

    Each is as the one that was seen of most nearly as many GPUs. There is none where all were seen, or where a replica
    would be faster than it can be.
    """
    context.check()
    scene = scene_of(source)
    fit, engine = scene.question.fit, scene.question.engine
    assert fit is not None, "there is a fit that has not seen all"
    unseen = (one for one in scene.profiles if scene.question.fit_of(one) is None)
    more = [own for one in unseen if (own := _as_nearest(fit, one, engine)) is not None]
    if not more:
        return []
    question = replace(source.question, fit=replace(fit, servers=(*fit.servers, *more)))
    try:
        profiles = profiles_of(question, catalog.model(question.model))
    except InputError:
        return []
    text = encode(tuple[Profile, ...], profiles)
    return [replace(source, key=f"{source.key}, fitted wider", question=question, profiles=text)]


def _as_nearest(fit: Calibration, profile: Profile, engine: str) -> ServerFit | None:
    """Return what a fit would say of a profile if it were right for it, too; None where it knows no such GPUs."""

    def is_like(own: ServerFit) -> bool:
        return (own.gpu, own.model, own.dtype, own.engine) == (profile.gpu, profile.model, profile.dtype, engine)

    def apart(own: ServerFit) -> float:
        return abs(math.log(own.gpus_per_replica / profile.gpus_per_replica))

    nearest = min(filter(is_like, fit.servers), key=apart, default=None)
    if nearest is None:
        return None
    return replace(
        nearest,
        tp=profile.tp,
        pp=profile.pp,
        kv_dtype=profile.kv_dtype,
        expert_parallel=profile.expert_parallel,
        attention_dp=profile.attention_dp,
        layout=profile.layout,
        seen=(),
    )
