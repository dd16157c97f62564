"""What a plan counts on that no argument of its server sets, and where it may be set instead."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.reports import units
from fleettui.reports.handoff.model import Subject
from fleettui.reports.handoff.servers import SERVERS


def not_set(subject: Subject) -> Iterator[str]:
    """Yield each in a sentence that begins with the plan's own setting."""
    question, server, engine = subject.question, SERVERS.named(subject.engine.family), subject.engine.name
    admission, bounds = subject.fleet.admission, question.bounds
    if admission not in server.admissions:
        yield f"the plan admits requests as {admission}: not settable in {engine}"
    if question.batch_share is not None and not server.classes:
        share = units.percent(question.batch_share)
        yield f"in the plan {share} of the requests wait behind the others: not written here for {engine}"
    if bounds.queue is not None and not server.bounds_queue:
        yield f"in the plan {bounds.queue} requests may wait at a replica: not settable in {engine}, but in a gateway"
    if bounds.timeout is not None:
        again = f", and come again up to {bounds.retries} times" if bounds.retries else ""
        yield (
            f"in the plan clients leave after {units.seconds(bounds.timeout)} without a first token{again}: that is "
            "set in the clients or a gateway, not in the server"
        )
    for feature, said in question.features.said():
        yield f"in the plan {said} {feature.unset}: not written here for {engine}"
    if isinstance(question.power_cap, float):
        watts = f"{question.power_cap:.0f}"
        yield f"in the plan no GPU draws more than {watts} W: set on each node, by nvidia-smi --power-limit {watts}"
    if question.graph_bins and (told := server.bins_not_set(question.graph_bins)):
        yield f"in the plan steps are padded to {question.graph_bins}: {told}"
