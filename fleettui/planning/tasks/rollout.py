"""The tasks of `rollout`: which layouts hold the model, one rollout at every threshold, and what all of them say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.hardware import Gpu, Profile
from fleettui.domain.plan import Estimate
from fleettui.domain.rollout import FROM_THE_START, NEVER, Rolled, RolloutAsked, RolloutCourse, RolloutRun
from fleettui.domain.simulation import PoolTraffic
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.kv_transfer import bytes_of, cache_size
from fleettui.hardware.weights import weights_of
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.planning.tasks.verification import make_ready
from fleettui.planning.tasks.workload_slices import longest_allowed
from fleettui.simulation.draws import Draws, open_draws, stream
from fleettui.simulation.layout import Engine
from fleettui.simulation.rollout import Ended, Left, ended, rest, stopped, stretched
from fleettui.simulation.statistics import LATENCY, estimate


def layouts(context: Context, *, source: SceneSource, pool: PoolSketch) -> tuple[int, ...]:
    """Return the GPUs of each replica that holds the model of `pool`, on its GPU and in its numbers, fewest first.

    Its cache must have room for the longest request of the workload.
    """
    context.check()
    question = replace(
        source.question,
        gpus=(pool.gpu,),
        max_gpus=(),
        max_total_gpus=None,
        tp=(),
        pp=(1,),
        parallel=None,
        attention_dp=False,
        layout="",
        speculative="",
        dtype=pool.dtype,
        kv_dtype=pool.kv_dtype,
        expert_parallel=pool.expert_parallel,
        prices=tuple(one for one in source.question.prices if one[0] == pool.gpu),
    )
    scene = scene_of(source)
    known = sorted({one.tp for one in profiles_of(question, catalog.model(pool.model))})
    return tuple(tp for tp in known if _has_room(scene, replace(pool, tp=tp, replicas=1)))


def _has_room(scene: Scene, pool: PoolSketch) -> bool:
    """Return whether a replica can be asked for every request of a scene."""
    try:
        scene.stage(FleetSketch(admission=scene.question.admission, pools=(pool,)))
    except InputError:
        return False
    return True


def replicate(context: Context, *, source: SceneSource, asked: RolloutAsked, seed: int, index: int) -> RolloutRun:
    """Play rollout `index` under the root `seed` without a switch, with one at every threshold, and on `after` alone.

    Raises InputError for a layout that does not hold the model, and where no link of the GPU is known.
    """
    make_ready(context.progress)
    rollout = Rollout(scene=scene_of(source), asked=asked)
    draws, cut = rollout.draws(seed, index)
    first, second = ended(rollout.before, draws), ended(rollout.after, draws)
    courses = [rollout.whole(NEVER, first, draws), rollout.whole(FROM_THE_START, second, draws)]
    for threshold in asked.thresholds:
        context.check()
        courses.append(rollout.switched(threshold, first, draws))
    return RolloutRun(
        index=index,
        tokens=int(draws.output.sum()),
        cut=cut,
        courses=tuple(sorted(courses, key=lambda one: one.threshold)),
    )


def run(context: Context, *, asked: RolloutAsked, runs: tuple[RolloutRun, ...]) -> tuple[Rolled, ...]:
    """Return what all runs say of each threshold, in the order of `asked.courses`."""
    context.check()
    by = [[one.courses[place] for one in runs] for place in range(len(asked.courses))]
    means = [float(np.mean([one.makespan for one in these])) for these in by]
    best = by[min(range(len(by)), key=means.__getitem__)]
    return tuple(
        Rolled(
            threshold=these[0].threshold,
            left=_mean(these, lambda one: one.left),
            at=_mean(these, lambda one: one.at),
            moving=_mean(these, lambda one: one.moving),
            makespan=estimate([one.makespan for one in these], ends=LATENCY),
            change=_apart(these, by[0]),
            behind=_apart(these, best),
            tokens=float(np.mean([own.tokens / one.makespan for own, one in zip(runs, these, strict=True)])),
            idle=_mean(these, lambda one: 1.0 - one.busy / (asked.gpus * one.makespan)),
        )
        for these in by
    )


def _mean(courses: Sequence[RolloutCourse], figure: Callable[[RolloutCourse], float]) -> float:
    return float(np.mean([figure(one) for one in courses]))


def _apart(courses: Sequence[RolloutCourse], others: Sequence[RolloutCourse]) -> Estimate:
    return estimate([one.makespan - other.makespan for one, other in zip(courses, others, strict=True)])


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """Both layouts of what is asked in a scene, and what it takes to go from one to the other."""

    scene: Scene
    asked: RolloutAsked

    @cached_property
    def gpu(self) -> Gpu:
        """The type of all GPUs."""
        return catalog.gpu(self.asked.pool.gpu)

    @cached_property
    def before(self) -> Engine:
        """The replicas until the switch."""
        return self._engine(self.asked.before)

    @cached_property
    def after(self) -> Engine:
        """The replicas from the switch on."""
        return self._engine(self.asked.after)

    def _profile(self, tp: int) -> Profile:
        return self.scene.profile_of(self._sketch(tp))

    def _sketch(self, tp: int) -> PoolSketch:
        return replace(self.asked.pool, tp=tp, replicas=self.asked.gpus // tp)

    def _engine(self, tp: int) -> Engine:
        sketch = FleetSketch(admission=self.asked.admission, pools=(self._sketch(tp),))
        found, profiles = self.scene.stage(sketch)
        return Engine.of(found.candidate.fleet.pools[0], self.asked.admission, hardware=profiles[0])

    def draws(self, seed: int, index: int) -> tuple[Draws, int]:
        """Return the trajectories of a run, all at once, and how many were cut at what both layouts hold."""
        asked = self.asked
        context = longest_allowed(self.scene.question, self._profile(asked.after))
        longest = min(context, self.before.longest(), self.after.longest())
        plain = open_draws(
            PoolTraffic(arrival_rate=1.0, atoms=self.scene.case.atoms),
            0,
            prefix_hit=self.scene.question.prefix_hit,
            requests=asked.trajectories,
            seed=seed,
            index=index,
        )
        chosen = stream(seed, index, 0, "tails").random(asked.trajectories) < asked.tail.share
        return stretched(plain, chosen=chosen, factor=asked.tail.factor, longest=longest)

    def whole(self, threshold: float, found: Ended, draws: Draws) -> RolloutCourse:
        """Return the course of one layout alone."""
        never = threshold == NEVER
        gpus = self.asked.before if never else self.asked.after
        left = 0 if never else draws.requests
        return RolloutCourse(
            threshold=threshold,
            left=left,
            at=found.makespan if never else 0.0,
            moving=0.0,
            makespan=found.makespan,
            busy=gpus * found.busy,
        )

    def switched(self, threshold: float, first: Ended, draws: Draws) -> RolloutCourse:
        """Return the course whose layout is switched when a share of the trajectories is left, one at least."""
        wanted = min(max(round(threshold * draws.requests), 1), draws.requests - 1)
        left = stopped(self.before, draws, int(first.order[draws.requests - wanted - 1]))
        if not len(left.index):
            return replace(self.whole(NEVER, first, draws), threshold=threshold)
        then = ended(self.after, rest(left, moved=not self.asked.recompute))
        moving = self.moving(left)
        return RolloutCourse(
            threshold=threshold,
            left=len(left.index),
            at=left.at,
            moving=moving,
            makespan=left.at + moving + self.asked.pause + then.makespan,
            busy=self.asked.before * left.busy + self.asked.after * then.busy,
        )

    def moving(self, left: Left) -> float:
        """Return the seconds in which every GPU takes its new part of the weights, and replicas the caches that move.

        All of both goes over the links, as if no GPU held any of its new part already. No replica takes less than
        the longest cache.
        """
        pool = self.asked.pool
        model = catalog.model(pool.model)
        weights = weights_of(self.gpu, model, pool.dtype).per_gpu(self.asked.after, self.asked.after) / self.link
        if self.asked.recompute:
            return weights
        size = bytes_of(cache_size(model, pool.kv_dtype), left.cached[left.cached > 0])
        if not len(size):
            return weights
        each = max(float(size.sum()) / self.asked.gpus, float(size.max()) / self.asked.after)
        return weights + each / self.link

    @property
    def link(self) -> float:
        """Bytes per second that a GPU's link moves one way: that of its domain where all GPUs are in one."""
        if self.asked.link is not None:
            return self.asked.link
        found = self.gpu.link_bandwidth if self.asked.gpus <= self.gpu.joined else self.gpu.scale_out
        if found is None:
            raise InputError(
                f"nothing is known of the network of {self.gpu.name}",
                where="--link",
                remedy="type what a GPU's link moves: --link 50GB/s",
            )
        return found
