"""Pools, splits, compression, router, and how an engine batches: admission, sequences, token budget, context."""

from __future__ import annotations

from fleettui.domain.scenario import MOST_POOLS, OBJECTIVES
from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import (
    COUNT,
    GAMMA,
    SHARE,
    WHOLE_TOKENS,
    choice,
    list_of,
    member,
    numbers,
    optional,
)
from fleettui.routing import ROUTERS
from fleettui.scheduling import SCHEDULERS

GROUP = Group(
    "How the fleet may look.",
    (
        Key(
            "objective",
            choice(OBJECTIVES),
            "power",
            "what the answer has least of; ttft looks among the cheapest fleets",
        ),
        Key("pools", numbers(range(1, MOST_POOLS + 1)), "1,2,3", "how many pools to try"),
        Key(
            "split",
            list_of(WHOLE_TOKENS, "tokens with commas: 2048,4096"),
            "4096",
            "total tokens at which pools may divide; searched if none is given",
            fills="splits",
        ),
        Key("gamma", GAMMA, "1.0:2.0", "compress requests of up to gamma splits to fit below; a range is searched"),
        Key("compressible", SHARE, "75%", "share of those requests that can be compressed"),
        Key("router", member(ROUTERS), ROUTERS.default.name, "how requests find their pool"),
        Key(
            "admission",
            member(SCHEDULERS),
            SCHEDULERS.default.name,
            "which waiting request joins a batch, and when",
            is_setting=True,
        ),
        Key("max-num-seqs", COUNT, "256", "most sequences that a replica runs at once", is_setting=True),
        Key("token-budget", WHOLE_TOKENS, "2048", "most tokens that one step processes", is_setting=True),
        Key(
            "context",
            optional(WHOLE_TOKENS, "auto"),
            "32Ki",
            "longest request served; auto is the workload's longest, rounded up to 256",
        ),
    ),
)
