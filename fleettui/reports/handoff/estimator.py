"""The capacity estimator's settings for each pool, as the newest autoscale study replayed it."""

from __future__ import annotations

from fleettui.autoscaling.estimating import WINDOW
from fleettui.autoscaling.estimator import BOOST, BURST, BURST_WINDOW, DRAIN, HOLD
from fleettui.reports.handoff import texts
from fleettui.reports.handoff.model import Format, HandoffFile, PoolPlan, Subject
from fleettui.reports.handoff.scaling import KIND, missed, needed, told
from fleettui.reports.handoff.texts import Document

POLICY = "estimator-beta"
"""The policy of the study that this deploys."""
LAW = (
    "every cycle: L = offered rate x service_time; head = beta x sqrt(L); drain = max(0, waiting + running - L - head) "
    "x service_time / drain; boost = a quarter of what is provisioned without it after a burst of rejects",
    "slots = L + head + drain + boost, up at once, down by at most step replicas a minute, not for hold seconds after "
    "it rose; replicas = slots / slots_each, rounded up, and buffer more, within min and max",
)


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    above = (*texts.head(subject, warned=missed(subject, POLICY)), told(subject, POLICY), *LAW)
    text = texts.yaml_text(above, [_settings(subject, part) for part in subject.pools])
    return (HandoffFile(name="estimator.yaml", about="the estimator's settings for every pool", text=text),)


def _settings(subject: Subject, part: PoolPlan) -> Document:
    own = needed(subject, part)
    content = {
        "pool": subject.name(part),
        "class": "interactive",
        "slots_each": round(own.in_service, 4),
        "service_time": round(own.served_in, 4),
        "beta": own.beta,
        "drain": DRAIN,
        "step": own.step,
        "hold": own.hold,
        "buffer": round(own.buffer),
        "cycle": own.cycle,
        "rate_window": WINDOW,
        "reject_burst": BURST,
        "reject_window": BURST_WINDOW,
        "boost": BOOST,
        "boost_hold": HOLD,
        "min": own.least,
        "max": own.most,
    }
    return Document((texts.of_pool(subject, part), "seconds, replicas, requests in service"), content)


FORMAT = Format(name="estimator", help="the estimator's settings, as it was replayed", write=_write, study=KIND)
