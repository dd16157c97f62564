"""Pools of their own for prefill and decode beside replicas that do both, for a kept plan's question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fleettui.domain.whole import whole
from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Argument, Given
from fleettui.planning.studies.study_type import Command, Prompt, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.disagg import Disaggregated, Side
    from fleettui.domain.plan import Answer, Candidate
    from fleettui.domain.study import Study
    from fleettui.planning.disagg_ask import DisaggAsk
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext

AUTO = "auto"
NEAR = 1.25
"""What a fleet may cost of the plan's own, for its GPU types to be searched at every token budget."""


MOST_SHORT = 1_000_000
"""Tokens of the longest prompt that may be called short."""


def read(given: Given) -> dict[str, Any]:
    """Return the plan, and what is typed of links and of the way over them; raises InputError."""
    from fleettui.domain.roles import DECODE, PREFILL
    from fleettui.reports.link_units import LINK

    typed: dict[str, Any] = {"link": LINK.parse(given["link"], "--link")} if "link" in given else {}
    if "first-token" in given:
        if given["first-token"] not in (PREFILL, DECODE):
            raise InputError(
                "this is no side that sends the first token",
                where="--first-token",
                value=given["first-token"],
                accepted=f"{PREFILL}, {DECODE}",
            )
        typed["first_token"] = given["first-token"]
    if "conditional" in given:
        typed["short"] = _short(given["conditional"])
    return {"plan": given["plan"], "verify": "no-verify" not in given, "overlap": "overlap" in given, **typed}


def _short(text: str) -> int | None:
    """Return the tokens of the longest prompt that stays with decode, None where that is searched."""
    if text == AUTO:
        return None
    if not 0 < (found := whole(text) or 0) <= MOST_SHORT:
        raise InputError(
            "these are no tokens of a prompt that stays with the side that decodes",
            where="--conditional",
            value=text,
            accepted=f"a whole number from 1 to {MOST_SHORT:,}, or {AUTO}",
        )
    return found


def line_help() -> str:
    """Return what a line may say."""
    return (
        "link 50GB/s   (what a replica's link moves, one way; or nothing: that of its GPUs)\n"
        "overlap: a cache leaves layer by layer; first-token decode: decode sends it; no-verify\n"
        "conditional 512, or auto: prompts of so many tokens to compute stay with decode"
    )


async def work(
    desk: StudyContext,
    plan: str,
    *,
    link: float | None = None,
    verify: bool = True,
    overlap: bool = False,
    first_token: Side = "prefill",
    short: int | None = 0,
) -> Study:
    """Return both ways to the need of `plan`, over links of so many bytes per second each, else those of its GPUs.

    With `overlap` a cache leaves layer by layer; `first_token` is the side that sends it. Prompts of up to `short`
    tokens to compute stay with decode, up to as many as cost least where that is None. The best fleet of each way is
    simulated, and the smallest of its make that holds, unless that is not to be `verify`-ed.

    Raises InputError for a plan of the papers' preset, one that is not finished, a closed loop, a router that looks
    from time to time, and where no pair of replicas holds every limit.
    """
    from fleettui.reports.studies.disagg import disagg_study

    kept = desk.kept(plan)
    check_apart(kept)
    found = await both_ways(desk, kept, link=link, verify=verify, overlap=overlap, first_token=first_token, short=short)
    return disagg_study(kept.at_nominal_speed.answer, kept.question, found, link, searched=short is None)


async def both_ways(
    desk: StudyContext,
    kept: KeptPlan,
    *,
    link: float | None = None,
    verify: bool = True,
    overlap: bool = False,
    first_token: Side = "prefill",
    short: int | None = 0,
) -> Disaggregated:
    """Return both ways to the need of a plan that can be taken apart, as `work` has them, both at nominal speed.

    Raises InputError where no pair of replicas holds every limit.
    """
    from fleettui.domain.disagg import Axis, Disaggregated, Flip
    from fleettui.planning.disagg_ask import DisaggAsk

    kept = kept.at_nominal_speed
    ask = DisaggAsk(
        source=kept.source(f"disagg {kept.id}", kept.profiles),
        near=_near(kept.answer, {one.gpu for one in kept.profiles}),
        left_out=_known_worse(kept),
        link=link,
        overlap=overlap,
        first_token=first_token,
        short=short,
    )
    found = await desk.run("disagg", Disaggregated, ask=ask)
    if not found.rows:
        raise InputError(
            "no pair of replicas, one that prefills and one that decodes, holds every limit at any size",
            value=kept.ref,
            remedy="name more GPUs (--gpu) or parallelisms (--tp), longer limits, or a faster --link"
            + (", or leave fewer prompts with decode (--conditional)" if short else ""),
        )
    axes = await desk.run("disagg-axes", tuple[tuple[Axis, float], ...], ask=ask)
    moves = [desk.run("disagg-flips", Flip, ask=ask, axis=axis, value=value) for axis, value in axes]
    flips = await desk.each(moves, "moving each input to where the cheaper way changes")
    found = replace(found, flips=tuple(flips))
    return await _simulated(desk, kept, found, ask) if verify else found


async def _simulated(desk: StudyContext, kept: KeptPlan, found: Disaggregated, ask: DisaggAsk) -> Disaggregated:
    """Return what was found with the best fleet of each way as simulations have it."""
    from fleettui.domain.disagg import Lost
    from fleettui.planning.disagg_trials import DisaggTrials, together
    from fleettui.planning.router_trials import RouterTrials

    apart = await DisaggTrials(desk=desk, kept=kept, source=ask.source, fleet=found.rows[0].fleet).smallest()
    if apart is not None and apart.figures is not None and apart.verdict == "pass":
        loses = await desk.run("disagg-loses", Lost, ask=ask, figures=apart.figures)
        found = replace(found, rows=(apart.figures, *found.rows[1:]), lost=loses)
    if apart is None or found.colocated is None:
        return replace(found, apart=apart)
    proofs = []
    for best in _makes(found.colocated, kept.answer.answer):
        if best.simulation is not None and best.simulation.verdict == "pass":
            proofs.append(together(best, 1))
        else:
            trials = RouterTrials(desk=desk, kept=kept, best=best)
            proofs.append(together(*await trials.smallest(kept.question.router)))
    holding = [one for one in proofs if one is not None and one.verdict == "pass"]
    cheapest = min(holding, key=lambda one: one.cost, default=None)
    tried = next(iter(proofs), None)
    return replace(found, apart=apart, together=cheapest or tried, tried_together=tried)


def _makes(best: Candidate, own: Candidate | None) -> list[Candidate]:
    """Return the best fleet by formula and the plan's own, once where they are of one make."""

    def make(one: Candidate) -> list[tuple[object, int, int]]:
        return [(pool.replica_key, pool.token_budget, pool.up_to) for pool in one.fleet.pools]

    if own is None or own.shortfalls:
        return [best]
    return [own] if make(own) == make(best) else [best, own]


def check_apart(kept: KeptPlan) -> None:
    """Raise InputError for a plan whose prefill and decode cannot be taken apart."""
    kept.check_no_paper("has no prefill to take apart: there, prompts cost no time")
    kept.check_finished()
    kept.check_open_loop("both ways would be asked for different rates")
    kept.check_no_prefix_cache()
    kept.check_no_features()
    kept.check_unbounded("at a disaggregated fleet all of them wait")
    kept.check_one_class()
    kept.check_no_drafts()
    from fleettui.routing import ROUTERS

    if ROUTERS.named(kept.question.router).meets:
        raise InputError(
            f"router {kept.question.router} sends between pools, and a prefill is no pool for decodes",
            where=f"plan {kept.handle}: router",
            value=kept.question.router,
            remedy=f"plan with --router {ROUTERS.default.name}",
        )
    if kept.question.router_refresh is not None:
        raise InputError(
            "routers of pools that prefill or decode always know the loads",
            where=f"plan {kept.handle}: router-refresh",
            remedy="plan without --router-refresh",
        )


def _known_worse(kept: KeptPlan) -> tuple[str, ...]:
    """Return the GPU types whose steps are known much worse than those of the plan's fleet."""
    best = kept.answer.answer
    if best is None:
        return ()
    return tuple(sorted({one.gpu for one in kept.profiles if kept.question.sets_aside(one, best)}))


def _near(answer: Answer, every: set[str]) -> tuple[str, ...]:
    """Return the GPU types of fleets that may hold and cost little more than the plan's, all where it has none."""
    best = answer.answer
    if best is None:
        return tuple(sorted(every))
    fleets = [one for one in answer.candidates if one.may_hold and one.cost_per_hour <= NEAR * best.cost_per_hour]
    return tuple(sorted({pool.gpu for one in (best, *fleets) for pool in one.fleet.pools}))


STUDY = StudyType(
    kind="disagg",
    work=work,
    read=read,
    picture=Picture(table=0, between="after"),
    command=Command(
        help="do pools of their own for prefill and decode pay?",
        about="Search the best fleet that prefills and decodes apart, beside the best whose replicas do both.",
        examples="""\
\b
Examples:
  fleettui disagg last
  fleettui disagg 41a7 --link 25GB/s --overlap
  fleettui disagg last --conditional auto
""",
        view="disagg",
        after="pareto",
        arguments=(
            PLAN,
            Argument(name="link", example="50GB/s", help="what a replica's link moves, one way"),
            Argument(name="overlap", form="flag", help="a cache leaves layer by layer, while its prompt is computed"),
            Argument(name="first-token", example="decode", help="side that sends it", default="prefill"),
            Argument(
                name="conditional",
                example="512",
                help="prompts of so many tokens to compute stay with decode; or auto, the length that costs least",
            ),
            Argument(name="no-verify", form="flag", help="by formula alone, nothing simulated"),
        ),
        prompt=Prompt(help=line_help),
    ),
)
