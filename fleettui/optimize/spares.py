"""Replicas that stand by for those that are down."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fleettui.domain.failures import FailingUnit
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.queueing import availability
from fleettui.queueing.availability import Group


def share_up(question: Question) -> float | None:
    """Return the share of time that each of what fails is up, None where the question says nothing of failures."""
    if question.failures is None or question.repair is None:
        return question.availability
    return availability.availability(question.failures.per_day, question.repair)


def failing(question: Question) -> FailingUnit:
    """Return what fails as one."""
    return question.failures.of if question.failures else question.availability_of


def group_of(profile: Profile, question: Question) -> Group | None:
    """Return the replicas on GPUs of `profile` that fail together, None where the question has no availability."""
    up, rack = share_up(question), question.rack
    if up is None:
        return None
    together = profile.gpus_per_node if failing(question) == "node" else 1
    group = Group.of(up, together, profile.gpus_per_replica)
    nodes = math.ceil(profile.gpus_per_replica / profile.gpus_per_node)
    return group if rack is None else group.in_racks(rack.nodes, rack.up, nodes)


def has_spares(question: Question) -> bool:
    """Return whether the question says by what rule replicas stand by."""
    return share_up(question) is not None or question.survive > 0


def spares(replicas: int, profile: Profile, question: Question) -> int:
    """Return the replicas that stand by for those that are down: as many as are to be survived, or as the availability
    asks for, where that is more.

    The latter are the fewest of any placement, of as many replicas on each node as `placements` has.
    """
    if question.preset == "paper":
        return papers_spares(replicas, question)
    target = question.availability_target
    counts = [group.spares(replicas, target) for group in placements(profile, question)]
    return max(question.survive, min(counts, default=0))


def placements(profile: Profile, question: Question) -> Iterator[Group]:
    """Yield the replicas of a node where a pool fills its nodes, then where it stands on more of them.

    Who pays for whole nodes fills them, and workloads that share a stock of them. On how many nodes the GPUs of a stock
    are is not known, so that it is no limit here. Yields none where the question has no availability.
    """
    full = group_of(profile, question)
    if full is None:
        return
    yield full
    for per_node in () if fills_nodes(question) else range(full.replicas - 1, 0, -1):
        yield replace(full, replicas=per_node)


def fills_nodes(question: Question) -> bool:
    """Return whether every pool fills the nodes that it stands on, whatever fails."""
    return question.whole_nodes or question.shared_nodes or share_up(question) is None


def as_placed(question: Question, fleet: Fleet, profiles: Sequence[Profile]) -> Question:
    """Return a question under which larger fleets stand on nodes as `fleet` does, with the spares that this takes.

    Where every pool of it fills its nodes theirs do; else each stands on as many as take fewest GPUs. Its pools run on
    `profiles`.
    """
    if share_up(question) is None:
        return question
    for pool, profile in zip(fleet.pools, profiles, strict=True):
        group, full = placed(pool.replicas, pool.replicas + pool.spares, profile, question), group_of(profile, question)
        if group is not None and group != full and group.replicas < pool.replicas + pool.spares:
            return question
    return replace(question, shared_nodes=True)


def placed(replicas: int, held: int, profile: Profile, question: Question) -> Group | None:
    """Return the replicas of a node in a pool that needs so many of those `held`: the most that reach the target.

    It fills its nodes where no placement does; None where the question has no availability.
    """
    found = list(placements(profile, question))
    enough = (group for group in found if group.all_up(replicas, held) >= question.availability_target)
    return next(enough, found[0] if found else None)


def papers_spares(replicas: int, question: Question) -> int:
    """Return the same by the papers' rule, the needed over the availability; there a GPU is a node and a replica."""
    up = share_up(question)
    return 0 if up is None else availability.mean_count(replicas, up) - replicas
