"""The parts of a question that say what requests share."""

from __future__ import annotations

from functools import partial

from fleettui.reports.question.key import Key
from fleettui.reports.question.text_forms import FLAG, SHARE

_Prefix = partial(Key, of_given=True)

PREFIX_KEYS = (
    _Prefix("prefix-hit", SHARE, "55%", "share of prompt tokens found in the prefix cache"),
    _Prefix("prefix-cache", FLAG, "true", "replicas keep prefixes: hits come from the trace's hashes"),
    _Prefix("sessions", FLAG, "true", "later rounds of sessions follow the answers before them"),
)
