"""Co-location, prefill and decode apart, and AFD beside each other within a number of GPUs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.afd import EXAMPLE as LAYOUT
from fleettui.planning.studies.argument import PLAN, Argument
from fleettui.planning.studies.disagg import check_apart
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.frontier import FrontierFound, FrontierProof
    from fleettui.domain.plan import Candidate
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.prepared_fleet import SceneSource
    from fleettui.planning.studies.study_context import StudyContext

LEAST_GPUS = 16
"""GPUs that are divided at least, where nobody says how many: fewer leave an AFD replica no room."""
MOST_GPUS = 4096
LAYOUTS = tuple(
    f"{attention}/{feed_forward}{many}"
    for attention in ("tp1dp4", "tp1dp8", "tp2dp2", "tp2dp4", "tp4", "tp4dp2", "tp8")
    for feed_forward in ("tp4", "tp8", "ep4", "ep8")
    for many in ("", "x2")
)
"""The AFD layouts that are tried unless some are named."""
LOOSE, TIGHT = 2.0, 0.25
"""Seconds of the TTFT bound where the plan limits none, and the part of it that is a second, tighter bound."""
MOST_TRIED = 6
"""Rates of an architecture that are simulated under one bound, at most."""
GPUS_ARGUMENT = Argument(
    name="gpus", reads="count", example="64", most=MOST_GPUS, help="GPUs to divide (default the plan's, 16 at least)"
)
LINK_ARGUMENT = Argument(name="link", reads="bandwidth", example="50GB/s", help="what a replica's link moves, one way")


async def work(
    desk: StudyContext,
    plan: str,
    *,
    gpu: str = "",
    gpus: int = 0,
    bounds: tuple[float, ...] = (),
    layouts: tuple[str, ...] = (),
    link: float | None = None,
    no_verify: bool = False,
) -> Study:
    """Return what each architecture does at most of the plan's requests with so many GPUs, under each TTFT bound.

    GPUs are of the plan's first type and as many as its own, LEAST_GPUS at least, unless said; bounds are the plan's
    and a quarter of it. Raises InputError for what `disagg` refuses, for a plan without a fleet, and for layouts none
    of which holds the model, where they are named.
    """
    from fleettui.reports.studies.frontier import frontier_study

    kept = desk.kept(plan)
    source, found = await explored(desk, kept, gpu=gpu, gpus=gpus, bounds=bounds, layouts=layouts, link=link)
    if not no_verify:
        found = replace(found, proofs=await _proofs(desk, kept, source, found))
    return frontier_study(kept.answer, found)


async def explored(
    desk: StudyContext,
    kept: KeptPlan,
    *,
    gpu: str = "",
    gpus: int = 0,
    bounds: tuple[float, ...] = (),
    layouts: tuple[str, ...] = (),
    link: float | None = None,
) -> tuple[SceneSource, FrontierFound]:
    """Return every architecture by formula, and the scene in which its fleets are; arguments as `work` has them."""
    from fleettui.domain.frontier import FrontierAsked, FrontierFound, FrontierRange, FrontierTried
    from fleettui.errors import InputError

    check_apart(kept)
    best = kept.fleet_for("to arrange in another way")
    count = gpus or max(LEAST_GPUS, best.fleet.gpus)
    asked = FrontierAsked(
        gpu=gpu or best.fleet.pools[0].gpu, gpus=count, layouts=layouts or usual_layouts(kept), link=link
    )
    source = on_one_gpu(kept, best, asked.gpu)
    span = await desk.run("frontier-rates", FrontierRange, source=source, asked=asked)
    if layouts and not span.layouts:
        text, why = span.left_out[0]
        raise InputError(why, where="--afd", value=text, remedy="name a layout with more GPUs, or leave out --afd")
    asked = replace(asked, layouts=span.layouts)
    tasks = [desk.run("frontier-points", FrontierTried, source=source, asked=asked, rate=rate) for rate in span.rates]
    tried = await desk.each(tasks, f"scoring fleets of {count} GPUs at {len(tasks)} rates")
    slo = kept.question.slo
    return source, FrontierFound(
        asked=asked,
        rates=span.rates,
        points=tuple(point for one in tried for point in one.points),
        scored=sum(one.scored for one in tried),
        left_out=span.left_out,
        bounds=bounds or _bounds(slo.ttft),
        tpot=math.inf if slo.tpot is None else slo.tpot,
        percentile=slo.percentile,
        proofs=(),
    )


def _bounds(ttft: float | None) -> tuple[float, ...]:
    loose = LOOSE if ttft is None else ttft
    return TIGHT * loose, loose


def usual_layouts(kept: KeptPlan) -> tuple[str, ...]:
    """Return the layouts that suit the plan's model: experts are spread where there are any, layers divided else."""
    from fleettui.hardware import catalog

    way = "ep" if catalog.model(kept.question.model).experts else "tp"
    return tuple(one for one in LAYOUTS if way in one.partition("/")[2])


def on_one_gpu(kept: KeptPlan, best: Candidate, gpu: str) -> SceneSource:
    """Return the plan's scene on GPUs of one type, whose steps are by kernels: only they know the parts of a layer."""
    from fleettui.planning.prepared_fleet import SceneSource

    own, pool = kept.question, best.fleet.pools[0]
    by_kernels = own.step_law == "kernels"
    question = replace(
        own,
        gpus=(gpu,),
        max_gpus=(),
        max_total_gpus=None,
        whole_nodes=False,
        tp=(),
        pp=(1,),
        parallel=None,
        attention_dp=False,
        layout="",
        expert_parallel=False,
        dtype=pool.dtype,
        kv_dtype=pool.kv_dtype,
        token_budget=None,
        graph_bins="",
        power_cap=None,
        availability=None,
        failures=None,
        repair=None,
        rack=None,
        survive=0,
        step_law="kernels",
        fit=own.fit if by_kernels else None,
        engine_overhead=own.engine_overhead if by_kernels else None,
        prices=tuple(one for one in own.prices if one[0] == gpu),
    )
    return SceneSource.of(question, kept.workload, kept.answer.demand, f"frontier {kept.id} {gpu}")


async def _proofs(
    desk: StudyContext, kept: KeptPlan, source: SceneSource, found: FrontierFound
) -> tuple[FrontierProof, ...]:
    """Return what simulations show of the best point of each architecture under each bound, and of lower rates."""
    from fleettui.architectures import ARCHITECTURES
    from fleettui.domain.frontier import FrontierProof

    tasks = []
    for bound in found.bounds:
        for architecture in ARCHITECTURES.names:
            points = found.holding(architecture, bound)[:MOST_TRIED]
            if points:
                tasks.append(
                    desk.run(
                        "frontier-play",
                        FrontierProof,
                        source=source,
                        asked=found.asked,
                        points=points,
                        bound=bound,
                        tpot=found.tpot,
                        seed=kept.answer.plan.seed,
                    )
                )
    return tuple(await desk.each(tasks, "simulating the best fleet of each architecture"))


STUDY = StudyType(
    kind="frontier",
    work=work,
    picture=Picture(table=0, column="tokens", between="before"),
    command=Command(
        help="co-located, prefill or attention apart, side by side",
        about="Within a number of GPUs, compare co-location, prefill/decode and attention/FFN disaggregation.",
        examples="""\
\b
Examples:
  fleettui frontier last --gpus 64
  fleettui frontier 41a7 --gpus 256 --ttft 500ms,2s --link 50GB/s
  fleettui frontier last --afd tp2dp4/ep8,tp4/ep8x2
""",
        view="disagg",
        after="disagg",
        arguments=(
            PLAN,
            GPUS_ARGUMENT,
            Argument(name="gpu", reads="gpu", example="h100", help="their type (default the plan's)"),
            Argument(
                name="ttft",
                reads="durations",
                fills="bounds",
                example="500ms,2s",
                help="bounds on TTFT (default the plan's and a quarter)",
            ),
            Argument(
                name="afd", reads="AFD layouts", fills="layouts", example="tp2dp4/ep8", help=f"AFD layouts: {LAYOUT}"
            ),
            LINK_ARGUMENT,
            Argument(name="no-verify", form="flag", help="by formula alone, nothing simulated"),
        ),
    ),
)
