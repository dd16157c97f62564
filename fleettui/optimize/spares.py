"""Replicas that stand by for those that are down."""

from __future__ import annotations

import math

from fleettui.domain.failures import FailingUnit
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

    Where nodes fail the latter are those of whole nodes, on which nothing else runs.
    """
    if question.preset == "paper":
        return papers_spares(replicas, question)
    group = group_of(profile, question)
    return max(question.survive, 0 if group is None else group.spares(replicas, question.availability_target))


def papers_spares(replicas: int, question: Question) -> int:
    """Return the same by the papers' rule, the needed over the availability; there a GPU is a node and a replica."""
    up = share_up(question)
    return 0 if up is None else availability.mean_count(replicas, up) - replicas
