"""The parts of a question that bound how long a request may stay."""

from __future__ import annotations

from functools import partial

from fleettui.reports.question.key import Key
from fleettui.reports.question.text_forms import COUNT, DURATION

_Bound = partial(Key, of_given=True)

BOUND_KEYS = (
    _Bound(
        "queue-limit", COUNT, "200", "requests that may wait at a replica; more are turned away", fills="bounds.queue"
    ),
    _Bound(
        "client-timeout",
        DURATION,
        "30s",
        "a client leaves if its first token has not come by then",
        fills="bounds.timeout",
    ),
    _Bound("retries", COUNT, "3", "how often who is turned away or leaves comes again", fills="bounds.retries"),
    _Bound("retry-backoff", DURATION, "1s", "mean time until it does; twice as long each time", fills="bounds.backoff"),
)
