"""Why the answer is what it is: what one replica fewer would break, what the alternatives cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fleettui.domain.busy_words import over_limit
from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.fleet import Pool, counted
from fleettui.domain.fleet_words import instead_words
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import TUNED_AS, Candidate
from fleettui.domain.scenario import Question
from fleettui.hardware import catalog
from fleettui.optimize import fit_words
from fleettui.optimize.bin_words import bin_words
from fleettui.optimize.cap_words import capped_words
from fleettui.optimize.compression_worth import worth_words
from fleettui.optimize.compressor_words import compressor_seconds, compressor_warnings, compressor_words
from fleettui.optimize.costs import taken_by_fleet
from fleettui.optimize.draft_words import draft_words
from fleettui.optimize.evaluate import Place, Scorer
from fleettui.optimize.load_words import load_words
from fleettui.optimize.pool_figures import API_PROCESS, HIGH_USE
from fleettui.optimize.router_words import router_words
from fleettui.optimize.rule_words import memory_words, rule_words
from fleettui.optimize.search import Choice
from fleettui.optimize.searched_words import unmeasured
from fleettui.optimize.spares import failing, placed
from fleettui.queueing.availability import mean_count

API_BUSY = 0.8
"""Share of time from which on the queue for an API process, a single server, is longer than its service."""


def reasons(
    answer: Candidate,
    choice: Choice,
    candidates: Sequence[Candidate],
    scorer: Scorer,
    *,
    instead: str = "",
    chosen: tuple[str, ...] = (),
    plain: Sequence[Candidate] = (),
) -> tuple[str, ...]:
    """Return the sentences behind an answer, most telling first: one per pool, then the alternatives.

    `instead` says what there is beside the answer's GPU types, `chosen` what was left to the search. `plain` are fleets
    that compress nothing, best first, where the answer compresses.
    """
    sentences = [_one_fewer(answer, choice, index, scorer) for index in range(len(choice.pools))]
    sentences += surplus(answer, scorer.question, scorer.profiles(choice))
    profiles = scorer.profiles(choice)
    sentences += [*capped_words(profiles), *draft_words(profiles), *load_words(profiles)]
    sentences += bin_words(answer, profiles)
    sentences += [*chosen, *worth_words(answer, plain or candidates, scorer.question)]
    sentences += [_other_topology(answer, candidates, scorer.question), instead]
    return (
        *(sentence for sentence in sentences if sentence),
        *of_engine(answer, scorer.question, _with(answer, profiles)),
    )


def of_fleet(answer: Candidate, question: Question, profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Return what there is to say of a fleet alone: what it holds beyond its needs, and how its engine is known."""
    unset = [(pool, one) for pool, one in _with(answer, profiles) if _is_unset(pool, one, question)]
    beside = (
        *surplus(answer, question, profiles),
        *capped_words(profiles),
        *draft_words(profiles),
        *load_words(profiles),
        *bin_words(answer, profiles),
    )
    return (*beside, *of_engine(answer, question, unset))


PoolsOn = Sequence[tuple[Pool, Profile]]
"""Pools, each with the profile that it runs on."""


def _with(answer: Candidate, profiles: Sequence[Profile]) -> PoolsOn:
    return tuple(zip(answer.fleet.pools, profiles, strict=True))


def of_engine(answer: Candidate, question: Question, unset: PoolsOn) -> tuple[str, ...]:
    """Return what an answer's figures rest on: own fits, the engine's settings, its front end.

    `unset` are the pools that have no settings of their own.
    """
    sentences = (
        *fit_words.known(answer.fleet, question),
        compressor_words(answer, question),
        _settings(unset, question),
        _built(question),
        _cache(answer, question),
        _front_end(answer, question),
    )
    return tuple(sentence for sentence in sentences if sentence)


def _is_unset(pool: Pool, profile: Profile, question: Question) -> bool:
    """Return whether a pool is set as the question and, where that says nothing, the engine would set it."""
    own, settings = pool.settings, profile.settled(question)
    return own == (replace(settings, token_budget=own.token_budget) if _is_searched(question) else settings)


def _is_searched(question: Question) -> bool:
    return question.token_budget == SEARCHED


def _settings(pools: PoolsOn, question: Question) -> str:
    """Say how the engine is set where the question leaves it to the engine, to a level or to the search."""
    own, given = (_said(pools, question, given=given) for given in (False, True))
    level = f"{question.engine} {TUNED_AS[question.tuning]}"
    found = _budgets(pools) if _is_searched(question) else ""
    rules = "; ".join(filter(None, (own, *rule_words(question))))
    parts = (("", f"{level}: {rules}" if pools else ""), ("as given: ", given), ("as searched: ", found))
    return "; ".join(f"{whose}{words}" for whose, words in parts if words)


def _built(question: Question) -> str:
    """Say how submissions build the engine where a level has it so and its steps are by kernels."""
    levels = catalog.engine(question.engine).levels
    if question.step_law != "kernels" or not any(one.fused for one in levels if one.level == question.tuning):
        return ""
    return (
        f"{question.engine} {TUNED_AS[question.tuning]} has norms and activations within products, sums over GPUs "
        "beside them, and takes the likeliest token, on GPUs with fp8 units"
    )


def _budgets(pools: PoolsOn) -> str:
    """Return the token budget of pools, of each by its name where they are not the same; empty without pools."""
    budgets = {pool.name: f"{pool.token_budget:,} tokens a step" for pool, _ in pools}
    if len({*budgets.values()}) < 2:
        return next(iter(budgets.values()), "")
    return ", ".join(f"{words} in pool {name}" for name, words in budgets.items())


def _said(pools: PoolsOn, question: Question, *, given: bool) -> str:
    """Return the settings that the question gives, or those that it does not, by GPU type where they are not the same.

    A budget that is searched is neither; prompts among the decodes are usual, and told where the question gives them.
    """
    mixed = "prompts among decodes" if given else ""
    how = {"mixed": mixed, "alone": "prompts in steps of their own", "whole": "prompts whole, among decodes"}
    by_gpu: dict[str, str] = {}
    for pool, profile in pools:
        words = (
            (question.token_budget, f"{pool.token_budget:,} tokens a step"),
            (question.max_num_seqs, f"{pool.max_num_seqs:,} sequences"),
            (question.prompt_steps, how[pool.prompt_steps]),
            (question.memory_share, memory_words(profile)),
        )
        told = (word for asked, word in words if asked != SEARCHED and (asked is not None) is given)
        by_gpu[pool.gpu] = ", ".join(filter(None, told))
    same = len({*by_gpu.values()}) == 1
    by_words = (words if same else f"{words} on {gpu}" for gpu, words in by_gpu.items() if words)
    return "; ".join(dict.fromkeys(by_words))


def _cache(answer: Candidate, question: Question) -> str:
    """Say in what the cache is held where that is not bf16: twice the tokens fit, and outputs may be others."""
    held = {pool.kv_dtype for pool in answer.fleet.pools} - {"bf16"}
    whose = "as given" if question.kv_dtype else "as model or engine have it; --kv-dtype bf16 gives the other"
    return f"the KV cache is in {', '.join(sorted(held))}, {whose}" if held else ""


def _front_end(answer: Candidate, question: Question) -> str:
    """Say how much of a TTFT lies in front of the GPU, and whose figure that is."""
    if not any(pool.profile.front_end for pool in answer.fleet.pools):
        return ""
    own = [
        pool.profile.front_end - compressor_seconds(answer.fleet, place, question.compressor)
        for place, pool in enumerate(answer.fleet.pools)
    ]
    seconds = " and ".join(dict.fromkeys(f"{one * 1e3:.3g} ms" for one in own))
    return f"TTFT includes {seconds} of {fit_words.front_end(answer.fleet.pools, question)}"


def warnings(answer: Candidate, question: Question, profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Return what a careful reader should know of an answer whose pools run on `profiles`.

    High use of the hardware and of the engine's API process, experts that nobody timed, what the router must know, and
    nodes that take more replicas with them than are to be survived.
    """
    found = [*unmeasured(profiles, question), *router_words(answer.fleet, question.length_error)]
    found += _of_nodes(answer, question, profiles) if question.survive else ()
    if answer.fleet.gamma > 1.0:
        found += compressor_warnings(answer, question)
    for pool in answer.pools:
        for name, use in (("MFU", pool.mfu), ("bandwidth use", pool.bandwidth_use)):
            if use > HIGH_USE:
                found.append(f"pool {pool.name}: {name} {use:.0%}, few engines reach 60%: profile fit has yours")
        if pool.api_use > API_BUSY or pool.limited_by == API_PROCESS:
            found.append(
                f"pool {pool.name}: {question.engine}'s API process {pool.api_use:.2f} busy: --api-token has yours"
            )
    return tuple(found)


def _of_nodes(answer: Candidate, question: Question, profiles: Sequence[Profile]) -> Iterator[str]:
    """Yield of which pools a node may hold more replicas than stand by, where replicas are to be survived."""
    for pool, profile in zip(answer.fleet.pools, profiles, strict=True):
        together, held = profile.gpus_per_node // pool.gpus_per_replica, pool.replicas + pool.spares
        group = placed(pool.replicas, held, profile, question)
        together = together if group is None or failing(question) == "gpu" else group.replicas
        if min(together, held) > pool.spares:
            takes = f"a node down takes up to {min(together, held)} replicas"
            yield f"pool {pool.name}: {takes}, {pool.spares} stand{'s' * (pool.spares == 1)} by: --survive {together}"


def _one_fewer(answer: Candidate, choice: Choice, index: int, scorer: Scorer) -> str:
    pool, figures = answer.fleet.pools[index], answer.pools[index]
    head = f"pool {pool.name}{_slice(choice.pools[index], scorer)}, limited by {figures.limited_by}"
    if pool.replicas == 1:
        return f"{head}: {figures.utilization:.2f} busy"
    load, terms = scorer.load(choice.pools[index], pool.replicas - 1.0), scorer.terms
    busy = float(load.occupancy.utilization[0])
    told = over_limit(busy, terms.max_utilization) if busy > terms.max_utilization else f"{busy:.2f} busy"
    own = [limit for limit in terms.limits if load.has(batch=limit.batch)[0]]
    late = {limit.label: float(terms.percentile(load, limit)[0]) for limit in own} if busy < 1.0 else {}
    if busy >= 1.0 or not all(map(math.isfinite, late.values())):
        return f"{head}: one replica fewer would not keep up: {busy:.2f} busy, and its queue would grow without end"
    seen = [f"{label} {seconds:.3g} s" for label, seconds in late.items()]
    return f"{head}: one replica fewer would be {told}, {', '.join(seen)}"


def _slice(place: Place, scorer: Scorer) -> str:
    """Say which time slice asks most of a pool; empty where there is one."""
    index, row = place
    slices = len(scorer.offers[index].slices)
    return f" in time slice {int(scorer.offers[index].governing[row]) + 1} of {slices}" if slices > 1 else ""


def surplus(answer: Candidate, question: Question, profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Return what a fleet holds beyond what its requests need: GPUs of whole nodes, and replicas that stand by.

    `profiles` are those of its pools. Where the question has an availability, each pool's needed replicas are up
    together for a share of the time; beside it stand the shares without spares and by the mean rule.
    """
    sentences = _idle(answer, question, profiles)
    for pool, profile in zip(answer.fleet.pools, profiles, strict=True):
        held = pool.replicas + pool.spares
        group = placed(pool.replicas, held, profile, question)
        if group is None:
            continue
        mean = mean_count(pool.replicas, group.up)
        shares = [f"{group.all_up(pool.replicas, count):.2%}" for count in (held, pool.replicas, mean)]
        sentences.append(
            f"pool {pool.name}: {pool.replicas} of {held} replicas are up {shares[0]} of the time (wanted "
            f"{question.availability_target:.2%}; {shares[1]} without spares; {shares[2]} with {mean}, "
            "the needed over the availability)"
        )
    return tuple(sentences)


def _idle(answer: Candidate, question: Question, profiles: Sequence[Profile]) -> list[str]:
    """Return, where whole nodes are paid for, how many GPUs of each type that is."""
    if not question.whole_nodes:
        return []
    used, paid = (taken_by_fleet(answer.fleet, profiles, whole_nodes=whole) for whole in (False, True))
    return [
        f"whole nodes: {count} {gpu} are paid for, {count - used[gpu]} of them left over" for gpu, count in paid.items()
    ]


def _other_topology(answer: Candidate, candidates: Sequence[Candidate], question: Question) -> str:
    pools = len(answer.fleet.pools)
    known = (one for one in candidates if not question.sets_aside(one, answer) and not one.shortfalls)
    other = next((one for one in known if len(one.fleet.pools) != pools), None)
    if other is None:
        return ""
    more = other.cost_per_hour - answer.cost_per_hour
    names = instead_words(len(other.fleet.pools), pools)
    if abs(more) < 0.005:
        return f"{names}, by formula: the same cost, {counted(other.gpus)}"
    return f"{names}, by formula: {counted(other.gpus)}, ${abs(more):.2f}/h {'more' if more > 0 else 'less'}"
