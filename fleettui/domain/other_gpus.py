"""What the best fleet without an answer's GPU types comes to, in a sentence."""

from __future__ import annotations

import re

from fleettui.domain.fleet import counted
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.meter import feed
from fleettui.domain.plan import WITHOUT, Candidate
from fleettui.domain.scenario import Question

_BESIDE = re.compile(r"\$(\d+\.\d\d)/h beside \$\d+\.\d\d/h \([+-]\d+%\)")


def kinds(one: Candidate) -> str:
    """Return the GPU types of a fleet."""
    return " or ".join(sorted({pool.gpu for pool in one.fleet.pools}))


def other_gpu(answer: Candidate, other: Candidate | None, question: Question) -> str:
    """Return what the best fleet without the answer's GPU types, `other`, comes to; empty where there is none."""
    if other is None:
        return ""
    fleet = fleet_words(other.fleet)
    aims = {
        "gpus": f"{counted(other.gpus)}, ",
        "power": f"{other.power / 1e3:.1f} kW, ",
        "energy": f"{feed(question, other.power, other.gpus) / 1e3:.1f} kW at the meter, ",
        "ttft": f"TTFT {max(pool.ttft for pool in other.pools):.3g} s, ",
    }
    aim = aims.get(question.objective, "")
    return f"{WITHOUT}{kinds(answer)}, by formula: {fleet}, {aim}{_costs(other.cost_per_hour, answer)}"


def beside(reason: str, answer: Candidate) -> str:
    """Return a reason that compares GPU types with what another answer of the same types costs in it."""
    return _BESIDE.sub(lambda found: _costs(float(found[1]), answer), reason)


def _costs(other: float, answer: Candidate) -> str:
    percent = other / answer.cost_per_hour - 1.0 if answer.cost_per_hour > 0 else 0.0
    return f"${other:.2f}/h beside ${answer.cost_per_hour:.2f}/h ({percent:+.0%})"
