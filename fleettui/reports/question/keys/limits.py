"""The keys that say what must hold."""

from __future__ import annotations

from functools import partial

from fleettui.domain.limit import METRICS, Latency
from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import DURATION, PERCENTILE, pairs


def latency_name(text: str, where: str | None) -> str:
    """Return the name of a latency as it stands in a question: ttft.p50 and e2e.99.9 are read; raises InputError.

    >>> latency_name("e2e.99.9", None)
    'e2e.p99.9'
    """
    metric, dot, rank = text.partition(".")
    if not dot:
        raise InputError("the percentile is missing", where=where, value=text, accepted=f"such as {text}.p50")
    return Latency(metric=METRICS.named(metric, where).name, percentile=units.percentile(rank, where)).name


_Limit = partial(Key, of_given=True, is_setting=True)

GROUP = Group(
    "What must hold, in every pool, at the percentile; at least one limit.",
    (
        _Limit(
            "slo-ttft",
            DURATION,
            "500ms",
            "longest time to first token; a plan needs one SLO at least",
            fills="slo.ttft",
        ),
        _Limit("slo-tpot", DURATION, "50ms", "longest time per output token after the first", fills="slo.tpot"),
        _Limit("slo-e2e", DURATION, "30s", "longest time to the last token", fills="slo.e2e"),
        _Limit(
            "percentile",
            PERCENTILE,
            "99",
            "share of each pool's requests that must keep every SLO",
            fills="slo.percentile",
        ),
        _Limit(
            "limit",
            pairs(DURATION, "times by latency and percentile: ttft.p50=200ms,e2e.p95=20s", latency_name),
            "ttft.p50=200ms",
            "further limits, each at a percentile of its own",
            fills="slo.further",
        ),
    ),
)
LIMITS = tuple(key.name for key in GROUP.keys if key.form is not PERCENTILE)
"""The keys that are limits, of which a plan needs one."""
