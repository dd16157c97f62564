"""The tasks of `whatif`: one point of a sweep, the steps of a fleet's shape, growth along them, and sensitivity."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Model
from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.need import Level
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import SeenFleet
from fleettui.domain.whatif import Growth, Outcome, Sample, Stage, Step, Swing
from fleettui.domain.workload import Workload
from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware import catalog
from fleettui.optimize import growth as orders
from fleettui.optimize import levels as sizes
from fleettui.optimize import sensitivity, steps
from fleettui.optimize.confidence import confidence_of
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.held_fleet import Situation
from fleettui.optimize.spares import as_placed
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.confidence import held_of, shape_of
from fleettui.planning.tasks.plan import answer_cases, checked, serving_profiles
from fleettui.planning.tasks.simulation_inputs import Scene, read, scene_of
from fleettui.planning.tasks.workload_slices import Case, cases_of, context_of, longest_allowed, within
from fleettui.workloads.scaled import scaled

SHOWN = steps.Most(200, "--from, --to")
"""Of a table that is read."""
GROWN = steps.Most(2_000, "--growth, --months")
"""Of one between whose rows a few orders are placed."""
MOST_EXTENSIONS = 3
"""Step tables of a growth at most, each to a higher rate."""
BEYOND = 1.1
"""How far above the rate of full nodes a step table goes, as a few replicas more hold a little more than in proportion.
"""


def point(
    context: Context,
    *,
    question: Question,
    workload: Workload,
    lengths: Lengths,
    anchors: tuple[tuple[ReplicaKey, Anchor], ...] = (),
    own: SeenFleet | None = None,
) -> Outcome:
    """Answer `question` by formula for the kept `workload` with its requests scaled by `lengths`.

    The formulas are corrected by what simulations showed of replicas of a kind, the `anchors`, and of the `own` fleet.
    What cannot be served, as a model that fits on no GPU or requests beyond its context, is infeasible, and says why.
    """
    question = checked(question)
    model = catalog.model(question.model)
    context.check()
    try:
        profiles = serving_profiles(question, model)
        cases = read_scaled(question, workload, model, lengths)
        quiet = Context(cancelled=context.cancelled)
        known = dict(anchors)
        found = answer_cases(question, workload, profiles, cases, quiet, anchors=known, own=own, advise=False)
        return Outcome.of(found)
    except UnknownNameError:
        raise
    except InputError as refusal:
        return Outcome.refused(refusal)


def read_scaled(question: Question, workload: Workload, model: Model, lengths: Lengths) -> tuple[tuple[Case, ...], int]:
    """Return every pairing of a workload with scaled requests within the longest request served, and that, in tokens.

    The longest recorded request is scaled as the longest one of the distribution is.
    """
    if lengths == AS_RECORDED:
        return read(question, workload)
    longest, before = longest_allowed(question, model), cases_of(workload)
    after = [_scaled(case, lengths) for case in before]
    ratio = max(map(_longest, after)) / max(map(_longest, before))
    parts = []
    for part in workload.slices:
        total = part.lengths.total
        told = None if total is None else replace(total, maximum=total.maximum * ratio)
        parts.append(replace(part, lengths=replace(part.lengths, total=told)))
    cases = tuple(within(case, longest, question) for case in after)
    return cases, context_of(question, replace(workload, slices=tuple(parts)), cases, longest)


def _scaled(case: Case, lengths: Lengths) -> Case:
    return replace(case, slices=tuple(replace(part, atoms=scaled(part.atoms, lengths), cdf=()) for part in case.slices))


def _longest(case: Case) -> float:
    return max(prompt + output for _, prompt, output in case.atoms)


def step_table(
    context: Context, *, source: SceneSource, fleet: Fleet, anchors: tuple[Anchor, ...], low: float, high: float
) -> tuple[tuple[Step, ...], float]:
    """Return the steps of the shape of `fleet` from `low` to `high` requests/s, and the rate that it lasts itself.

    `anchors` are what is known of its pools from simulations.
    """
    scene = scene_of(source)
    shape = shape_of(scene, fleet, anchors)

    def told(done: int, total: int) -> None:
        context.progress("finding where fleets run out", done, total)

    found = steps.steps(shape, (low, high), scored_in(scene, fleet), told, SHOWN)
    return found, steps.lasts(shape, [pool.replicas for pool in fleet.pools])


def grow(
    context: Context, *, source: SceneSource, fleet: Fleet, anchors: tuple[Anchor, ...], growth: Growth
) -> tuple[tuple[Stage, ...], float]:
    """Let the rate of the source grow, and order GPUs for the shape of `fleet` before it runs out.

    Returns the stages, and until which rate the fleet lasts as it is. A fleet that is larger than the formula asks for
    is never made smaller. The days of orders have ends by the error of the step times, and by the span of the growth.
    """
    scene = _growing(source, fleet)
    shape, owned = shape_of(scene, fleet, anchors), tuple(pool.replicas for pool in fleet.pools)
    now, *following = _ordered(context, scene, fleet, shape, growth)
    seen = scene.question.confidence is None and all(
        pool.anchor.was_seen(size, scene.rate) or size >= pool.anchor.most(scene.rate)
        for pool, size in zip(shape.pools, now.step.replicas, strict=True)
    )
    found = (replace(now, simulated=seen), *following)
    lasting = steps.lasts(shape, owned)
    known = not any(pool.profile.model_error for pool in shape.pools)
    if growth.span is None and known:
        return found, lasting
    sizes, ends = [stage.step.replicas for stage in found[:-1]], []
    for end in (1.0, 0.0, -1.0) if sizes and not known else ():
        context.check()
        ends.append([float(rate) for rate in steps.each_lasts(shape.at_end(end), sizes, orders.NEAR)])
    return tuple(orders.with_ends(found, scene.rate, growth, [*zip(*ends, strict=True)])), lasting


def _ordered(context: Context, scene: Scene, fleet: Fleet, shape: Shape, growth: Growth) -> tuple[Stage, ...]:
    """Return the stages of a growing fleet.

    Where whole nodes are paid for, today's fleet has the replicas of all GPUs of its nodes. The step table goes on
    beyond the rates that growth comes to until it fills the whole nodes of the last order, whose row then has the
    replicas of all its GPUs.
    """
    owned, highest = tuple(pool.replicas for pool in fleet.pools), orders.highest_rate(scene.rate, growth)
    for _ in range(MOST_EXTENSIONS):
        context.progress("finding where fleets run out")
        table = sizes.kept(steps.unscored(shape, (scene.rate, highest), GROWN), owned, shape)
        full = partial(orders.filled, shape, table[0].replicas, growth.orders)
        now = full(table) if scene.question.whole_nodes else table[0]
        found = orders.stages(now, table, scene.rate, growth, full)
        last = found[-1].step
        idle = last.gpus / sum(shape.gpus(last.replicas))
        if idle <= 1.0 or last.up_to < table[-1].up_to:
            break
        highest = last.up_to * idle * BEYOND
    score = scored_in(scene, fleet)
    scored = (replace(stage, step=steps.scored(shape, stage.step, score)) for stage in found)
    return tuple(replace(one, step=_with_gpus(one.step, shape)) for one in scored)


def _growing(source: SceneSource, fleet: Fleet) -> Scene:
    """Return the scene in which larger fleets stand on nodes as `fleet` does."""
    scene = scene_of(source)
    profiles = [scene.profile_of(pool) for pool in fleet.pools]
    return replace(scene, question=as_placed(scene.question, fleet, profiles))


def _with_gpus(step: Step, shape: Shape) -> Step:
    return replace(step, there=step.there or tuple(orders.taken(shape, step.replicas).items()))


def levels(
    context: Context, *, source: SceneSource, fleet: Fleet, anchors: tuple[Anchor, ...], low: float, high: float
) -> tuple[Level, ...]:
    """Return the GPUs that the shape of `fleet` needs from `low` to `high` requests/s, at the source's rate its own."""
    context.progress("finding where fleets run out")
    scene = _growing(source, fleet)
    return sizes.levels(
        shape_of(scene, fleet, anchors), [pool.replicas for pool in fleet.pools], scene.rate, (low, high)
    )


def sensitive(
    context: Context, *, source: SceneSource, fleet: Fleet, anchors: tuple[Anchor, ...], samples: int, seed: int
) -> tuple[tuple[Swing, ...], Sample, int | None]:
    """Move each input of the plan of `fleet` to its ends, and draw all of them `samples` times under `seed`.

    Returns the swings, the widest first, the sample, and the GPUs that the formula asks for as planned, corrected by
    the `anchors` of the pools.
    """
    scene = scene_of(source)
    held = held_of(scene, fleet, anchors)
    base = Situation(rate=scene.rate, prefix_hit=scene.question.prefix_hit)
    rows = sensitivity.ends(held, base)
    total = len(rows) + samples
    swings: list[Swing] = []
    for row in rows:
        context.progress("moving each input", len(swings), total)
        swings.append(sensitivity.swing(held, row))
    drawn: list[tuple[int, ...] | None] = []
    for situation in sensitivity.draw(base, samples=samples, seed=seed, typed=scene.question.ranges):
        context.progress("drawing all inputs", len(rows) + len(drawn), total)
        drawn.append(held.replicas(situation))
    priced = [(None, None) if sizes is None else held.price(sizes) for sizes in drawn]
    sample = Sample(
        drawn=sensitivity.distributions(held, base),
        confidence=confidence_of(held, scene.rate),
        replicas=tuple(drawn),
        gpus=tuple(gpus for gpus, _ in priced),
        cost=tuple(cost for _, cost in priced),
    )
    planned = held.replicas(base)
    return tuple(sensitivity.by_width(swings)), sample, None if planned is None else held.price(planned)[0]


def scored_in(scene: Scene, fleet: Fleet) -> steps.Scored:
    """Return what scores a fleet of a shape in a scene, at other sizes and another rate."""
    return lambda sizes, rate: replace(scene, rate=rate).resize(fleet, sizes)[0]
