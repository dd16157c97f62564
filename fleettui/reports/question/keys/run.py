"""The keys that say how an answer is worked out and proven, and what it is called."""

from __future__ import annotations

from functools import partial

from fleettui.domain.scenario import PRESETS
from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import FLAG, SEED, SHARE, TEXT, choice

_Fixed = partial(Key, is_swept=False)

GROUP = Group(
    "The run.",
    (
        _Fixed(
            "preset",
            choice(PRESETS),
            "recommended",
            "our physics (recommended) or the papers' (paper)",
            is_setting=True,
        ),
        _Fixed(
            "verify",
            FLAG,
            "false",
            "prove the answer by simulation, or plan by formula only",
            is_setting=True,
            is_input=False,
        ),
        _Fixed(
            "precision",
            SHARE,
            "2%",
            "simulate until each pool's P99 TTFT is known to +- this share of it",
            is_setting=True,
            of_given=True,
            of_proof=True,
        ),
        _Fixed("seed", SEED, "1", "root of all draws", is_setting=True, of_given=True, of_proof=True),
        _Fixed("name", TEXT, "spring sizing", "a name to find the plan by", of_given=True, is_input=False),
    ),
)
