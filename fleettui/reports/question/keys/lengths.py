"""The keys that say what arrives: how long requests are, and what of them is found in a cache."""

from __future__ import annotations

from functools import partial

from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import FLAG, PERCENTILES, SHARE, TEXT

_Fixed = partial(Key, of_given=True, is_swept=False)

GROUP = Group(
    "What arrives: a workload, or prompt and output by percentile.",
    (
        _Fixed(
            "workload",
            TEXT,
            "azure-2023-conv",
            "a shipped name (fleettui workload list), a length distribution, or a trace",
        ),
        _Fixed(
            "prompt", PERCENTILES, "p50=900,p99=8k", "prompt tokens by percentile, without a workload; with --output"
        ),
        _Fixed(
            "output", PERCENTILES, "p50=200,p99=1.5k", "output tokens by percentile, without a workload; with --prompt"
        ),
        _Fixed("output-share", SHARE, "20%", "share of output in a workload that knows only total tokens"),
        Key("prefix-hit", SHARE, "55%", "share of prompt tokens found in the prefix cache", of_given=True),
        _Fixed("drop-longer", FLAG, "true", "leave out, and count, requests longer than the context"),
    ),
)
