"""Parts of a question that cannot stand beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain import drafts_tried
from fleettui.domain.calibration import Calibration
from fleettui.domain.engine_settings import ALL_DIVISIONS, SEARCHED
from fleettui.domain.graph_bins import of_steps
from fleettui.domain.left_to_search import check_searches
from fleettui.domain.speculation import speculation
from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.scenario import Question


def of_fit(fit: Calibration, step_law: str, engine_overhead: float | None) -> None:
    """Raise InputError where a fit cannot stand beside a law, or an overhead that is given."""
    if fit.step_law != step_law:
        raise InputError(
            f"the fit {fit.name} is of steps by {fit.step_law}",
            where="--step-law",
            value=step_law,
            accepted=fit.step_law,
            remedy="leave out --step-law, or fit again with it: fleettui profile fit",
        )
    if engine_overhead is not None:
        raise InputError(
            f"the fit {fit.name} has the engine's overhead in it",
            where="--engine-overhead",
            remedy="leave out --engine-overhead, or --profile",
        )


def of_prompt_steps(asked: Question) -> None:
    """Raise InputError where prompts have steps of their own, and the law of the steps does not time those."""
    if asked.prompt_steps == "alone" and asked.step_law == "roofline":
        raise InputError(
            "the roofline does not time prompts in steps of their own",
            where="--prompt-steps",
            remedy="add --step-law kernels, or leave out --prompt-steps alone (in a fleet: prompt_steps: alone)",
        )


def of_speculation(asked: Question) -> None:
    """Raise InputError where drafts are verified in ways that nothing here times."""
    if not asked.speculative:
        return
    if drafts_tried.written(asked.speculative) != asked.speculative:
        raise InputError("this is not as it is written", where="--speculative", value=asked.speculative)
    is_left = drafts_tried.is_searched(asked.speculative)
    said = speculation(drafts_tried.tried(asked.speculative)[1] if is_left else asked.speculative)
    if asked.step_law == "roofline":
        what = "the roofline's line does not time steps that verify drafts"
        raise InputError(
            what,
            where="--speculative",
            value=asked.speculative,
            remedy="add --step-law kernels, or leave out --speculative",
        )
    all_ways = asked.parallel == ALL_DIVISIONS
    others = {"--pp": asked.pp != (1,), "--attention-dp": asked.attention_dp, "--parallel all": all_ways}
    other = next((name for name, is_so in others.items() if is_so), None)
    if other is not None:
        raise InputError(
            f"drafts are not modelled with {other}",
            where="--speculative",
            value=asked.speculative,
            remedy=f"leave out {other}, or --speculative",
        )
    budget = asked.token_budget
    if isinstance(budget, int) and budget < said.width:
        raise InputError(
            "no sequence finds its drafts in the tokens of a step",
            where="--token-budget",
            value=budget,
            accepted=f"{said.width} or more with {said.drafts} drafts",
        )


def of_graph_bins(asked: Question) -> None:
    """Raise InputError where steps are padded, and the law of the steps does not time those."""
    if asked.graph_bins and asked.step_law == "roofline" and asked.preset != "paper":
        raise InputError(
            "the roofline's line does not know what a padded step takes",
            where="--graph-bins",
            value=asked.graph_bins,
            remedy="add --step-law kernels, or leave out --graph-bins",
        )
    listed, only_decodes = of_steps(asked.graph_bins)
    if only_decodes and (asked.attention_dp or asked.parallel == ALL_DIVISIONS):
        raise InputError(
            "whether a lane runs as a graph hangs on the prompts of the others, which is not modelled",
            where="--graph-bins",
            value=asked.graph_bins,
            remedy=f"write {listed}, or leave out --attention-dp and --parallel all",
        )


def of_power_cap(asked: Question) -> None:
    """Raise InputError where a cap is to be searched for and nothing says what it saves, or no cap can be tried."""
    if asked.power_cap != SEARCHED:
        return
    if asked.power_price is None:
        raise InputError(
            "the cheapest cap weighs electricity against GPUs, and electricity has no price",
            where="--power-cap",
            value=SEARCHED,
            remedy="add --power-price 0.12/kWh, or give the cap in watts",
        )
    if asked.demand.form == "concurrency" or asked.preset == "paper":
        closed = asked.demand.form == "concurrency"
        raise InputError(
            "a slower fleet is asked for less by a closed loop" if closed else "the papers' GPUs have no clock",
            where="--power-cap",
            value=SEARCHED,
            remedy="ask by --rate" if closed else "leave out --power-cap, or --preset",
        )


def of_searches(asked: Question) -> None:
    """Raise InputError where something is to be searched for and cannot be."""
    of_power_cap(asked)
    check_searches(asked)


def of_gamma(gamma: tuple[float, float], most: float) -> None:
    """Raise InputError unless the factors rise from 1 to at most `most`."""
    if not 1.0 <= gamma[0] <= gamma[1] <= most:
        raise InputError("gamma is out of range", value=gamma, accepted=f"1.0 (no compression) to {most:g}, rising")


def of_core_price(asked: Question) -> None:
    """Raise InputError where the compressor's cores have a price and nobody knows how long a prompt keeps one busy."""
    if asked.core_price is None:
        return
    if asked.compressor is None:
        raise InputError(
            "how long a prompt keeps a core busy was not measured",
            where="--core-price",
            value=f"${asked.core_price:g}/h",
            accepted="it beside a study of the compressor",
            remedy="measure it: fleettui compress PROMPTS, and plan with --compressible STUDY",
        )
    if asked.preset == "paper":
        raise InputError(
            "the papers' method leaves the compressor's cost out",
            where="--core-price",
            value=f"${asked.core_price:g}/h",
            remedy="leave out --core-price, or --preset",
        )


def of_splits(pools: tuple[int, ...], splits: tuple[int, ...]) -> None:
    """Raise InputError where there are splits for none of the numbers of pools."""
    if splits and max(pools) == 1:
        raise InputError("one pool has no split", value=splits, accepted="--split with --pools 2 or more")
    if splits and not any(1 < count <= len(splits) + 1 for count in pools):
        raise InputError("too few splits for so many pools", value=splits, accepted=f"{min(pools) - 1} or more")


def of_confidence(asked: Question) -> None:
    """Raise InputError where no error of the step times is known that a fleet could be sized for."""
    if asked.confidence is None:
        return
    closed = asked.demand.form == "concurrency"
    if closed or asked.preset == "paper":
        raise InputError(
            "a closed loop's rate is another at other speeds: no size is surer"
            if closed
            else "the papers' own speeds have no error to be sure over",
            where="--confidence",
            value=f"{100 * asked.confidence:.3g}%",
            remedy="leave out --confidence, or ask by --rate" if closed else "leave out --confidence, or --preset",
        )


def of_ranges(asked: Question) -> None:
    """Raise InputError where an input is typed as a range twice, or how sure a fleet is cannot be told over it."""
    if not asked.ranges:
        return
    names = [one.key for one in asked.ranges]
    assert len(set(names)) == len(names), f"a key has two ranges: {names}"
    closed = asked.demand.form == "concurrency"
    if closed or asked.preset == "paper":
        raise InputError(
            "nobody tells how sure a closed loop's fleet is" if closed else "the papers' preset sizes for one value",
            where=f"--{names[0]}",
            value="a range",
            remedy=f"say one value of --{names[0]}{'' if closed else ', or leave out --preset'}",
        )


def of_failures(asked: Question) -> None:
    """Raise InputError for an availability that is given twice, half a failure rate, racks of no nodes, and failures
    that the papers' preset has no rule for.
    """
    if asked.survive and asked.preset == "paper":
        raise InputError(
            "the papers' preset sizes spares by its own rule",
            where="--survive",
            value=asked.survive,
            remedy="leave out --preset, or --survive",
        )
    if asked.availability is not None and asked.failures is not None:
        raise InputError(
            "an availability and the failures that it comes from are both given",
            where="--failures",
            remedy="leave out --availability, or --failures with --repair",
        )
    if (asked.failures is None) != (asked.repair is None):
        lone, missing = ("--repair", "--failures 0.02/node-day") if asked.repair else ("--failures", "--repair 4h")
        raise InputError("failures and the time to repair one go together", where=lone, remedy=f"add {missing}")
    if asked.rack is None:
        return
    if asked.availability is None and asked.failures is None:
        raise InputError("racks go with how often their nodes fail", where="--rack", remedy="add --availability 98.7%")
    if (asked.failures.of if asked.failures else asked.availability_of) != "node":
        raise InputError(
            "a rack is one of nodes, and each GPU fails for itself",
            where="--rack",
            remedy="leave out --rack, or say what a node's failures are: --availability-of node",
        )


def of_bounds(asked: Question) -> None:
    """Raise InputError where the clients of a closed loop, who wait for their answers, are given bounds."""
    if asked.bounds.any and asked.demand.form == "concurrency":
        raise InputError(
            "the clients of a closed loop wait for their answers: none is turned away or leaves",
            where="--client-timeout" if asked.bounds.queue is None else "--queue-limit",
            remedy="ask by --rate, or leave it out",
        )


def of_classes(asked: Question) -> None:
    """Raise InputError for a limit of class batch where no request is of that class."""
    lone = next((one for one in asked.slo.own() if one.batch), None)
    if lone is not None and asked.batch_share is None:
        raise InputError(
            "no request is of class batch",
            where="--limit",
            value=lone.name,
            remedy="add --batch-share 30%, or leave the limit out",
        )


def of_parallel(asked: Question) -> None:
    """Raise InputError where it is both said and searched how experts, or sequences, are divided."""
    for what, option, given in (
        ("experts are", "--expert-parallel", asked.parallel is not None and asked.expert_parallel),
        ("sequences are", "--attention-dp", asked.parallel == ALL_DIVISIONS and asked.attention_dp),
    ):
        if given:
            raise InputError(
                f"how {what} divided is both given and searched",
                where="--parallel",
                value=asked.parallel,
                remedy=f"leave out {option}, or --parallel",
            )


def of_prefixes(asked: Question) -> None:
    """Raise InputError for a prefix cache beside a share of hits that is given, or where no trace is played in order.

    A question that is worked on has its `prefixes` or its `rounds`, and as its share of hits what they let be found.
    """
    if not asked.prefix_cache:
        return
    if asked.prefix_hit and asked.prefixes is None and asked.rounds is None:
        raise InputError(
            "the share of hits is what a prefix cache comes to",
            where="--prefix-hit",
            value=asked.prefix_hit,
            remedy="leave out --prefix-hit, or --prefix-cache if you know the share alone",
        )
    if asked.demand.form == "concurrency":
        raise InputError(
            "the clients of a closed loop do not come in the order of a trace",
            where="--prefix-cache",
            remedy="ask by --rate, or say the share of hits: --prefix-hit 40%",
        )
    if asked.gamma[1] > 1.0:
        raise InputError(
            "nobody knows the hashes of a prompt that was compressed",
            where="--prefix-cache",
            remedy="leave out --gamma, or say the share of hits: --prefix-hit 40%",
        )


def of_sessions(asked: Question) -> None:
    """Raise InputError for what does not go with requests that come in sessions."""
    if not asked.sessions:
        return
    if asked.prefix_hit and asked.rounds is None:
        raise InputError(
            "what later rounds find of their prompts comes of the replicas' caches",
            where="--prefix-hit",
            value=asked.prefix_hit,
            remedy="leave out --prefix-hit, and add --prefix-cache",
        )
    if asked.demand.form == "concurrency":
        raise InputError(
            "the clients of a closed loop ask again by themselves, in no session",
            where="--sessions",
            remedy="ask by --rate, of all rounds together",
        )
    if asked.gamma[1] > 1.0:
        raise InputError(
            "nobody knows what a prompt that was compressed leaves to later rounds",
            where="--sessions",
            remedy="leave out --gamma",
        )
    if (name := asked.arrivals.partition(":")[0]) in {"replay", "bursty"}:
        raise InputError(
            f"{name} knows when requests come, not when sessions begin",
            where="--arrivals",
            value=name,
            accepted="poisson, gamma:cv=2, weibull:cv=2 or profile:day.csv",
            remedy="name one of these: it is then that by which sessions begin",
        )


def of_length_error(asked: Question) -> None:
    """Raise InputError for what does not go with outputs that are guessed, so that requests may be served in parts."""
    if not asked.length_error:
        return
    beside = (
        ("--concurrency", asked.demand.form == "concurrency", "a closed loop's clients wait for whole answers"),
        ("--sessions", asked.sessions, "a session's rounds are known by what went before"),
        ("--prefix-cache", asked.prefix_cache, "prefix caches are played pool by pool"),
        ("--prefix-hit", asked.prefix_hit, "what outgrows its pool is computed again, with nothing cached"),
        ("--gamma", asked.gamma[1] > 1.0, "what is compressed is cut by its true length"),
        ("--queue-limit, --client-timeout", asked.bounds.any, "who is turned away has no first part"),
    )
    if clash := next(((where, why) for where, is_asked, why in beside if is_asked), None):
        raise InputError(
            f"{clash[1]}, and here the router guesses lengths",
            where=clash[0],
            remedy="leave it out, or --length-error",
        )
