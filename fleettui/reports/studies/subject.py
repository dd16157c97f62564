"""The kept plan that a study is about, and how its figures are said in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.verdict_words import ABOUT, METHOD_WORDS

KNOWN = 1e-5
"""Share of a rate by which it is known how far a fleet lasts."""
FORMULA, CORRECTED = "by formula", "by formula corrected by its simulations"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """A plan with its question, its answer's fleet, and what was asked of it as it was typed."""

    plan: Answer
    question: Question
    fleet: Candidate
    asked: str

    @property
    def gpus(self) -> int:
        """The plan's own GPUs."""
        return self.fleet.gpus

    @property
    def sizes(self) -> tuple[int, ...]:
        """The replicas of each of the plan's pools."""
        return tuple(pool.replicas for pool in self.fleet.fleet.pools)

    @property
    def known_by(self) -> str:
        """How figures beyond the plan's own are known: its simulations correct the formulas where there are any."""
        return FORMULA if self.fleet.simulation is None else CORRECTED

    def warnings(self, formula: int | None = None) -> tuple[str, ...]:
        """Return what a reader must know: the formula's word against the simulation's, where the two differ.

        `formula` are the GPUs that the formula asks for under the plan's own question.
        """
        if self.fleet.simulation is None or formula in (None, self.gpus):
            return ()
        return (f"the plan's {self.gpus} GPUs are as simulated; all here is by formula, which says {formula}",)


def proof(simulated: bool) -> str:
    """Return how a row is known, in the word that the table of candidates has for it."""
    return METHOD_WORDS["simulation" if simulated else "formula"]


def rate(value: float) -> str:
    """Return requests per second, with four figures: fleets run out close to each other.

    >>> rate(100.3575), rate(50.0), rate(12345.6)
    ('100.4/s', '50/s', '12,346/s')
    """
    return f"{value:,.0f}/s" if value >= 1000 else f"{value:.4g}/s"


def figures(value: float) -> float:
    """Return a rate with the figures that `rate` prints of it.

    >>> figures(18.51723), figures(50.0)
    (18.52, 50.0)
    """
    return float(f"{value:.0f}" if value >= 1000 else f"{value:.4g}")


def up_to(value: float) -> str:
    """Return the rate up to which something holds, requests per second, never rounded up.

    >>> up_to(40.5874), up_to(109.9999), up_to(52.16), up_to(12345.6), up_to(0.0)
    ('40.58/s', '110/s', '52.16/s', '12,345/s', '0/s')
    """
    return rate(held(value))


def at_least(value: float, *, simulated: bool) -> str:
    """Return the same, of which a simulation shows that it holds, and the formula about how far.

    >>> at_least(40.5874, simulated=True), at_least(40.5874, simulated=False)
    ('at least 40.58/s', '~40.58/s')
    """
    return f"{'at least ' if simulated else ABOUT}{up_to(value)}"


def held(value: float) -> float:
    """Return the rate up to which something holds as sentences and tables print it: four figures, never rounded up.

    What rates are known by, a millionth of them, does not count.

    >>> held(34.7568), held(109.9999), held(12345.6)
    (34.75, 110.0, 12345.0)
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 3) if 0.0 < value < 1000.0 else 1.0
    return float(f"{math.floor(value * (1.0 + KNOWN) / unit) * unit:.12g}")


def signed_percent(value: float) -> str:
    """Return a share with its sign.

    >>> signed_percent(0.2), signed_percent(-0.004)
    ('+20%', '-0.4%')
    """
    return f"{'-' if value < 0 else '+'}{units.percent(abs(value))}"


def fleet(about: About, replicas: Sequence[int]) -> str:
    """Return the plan's pools at these sizes: A100 tp2 x2 + H100 tp8 x6."""
    pairs = zip(about.fleet.fleet.pools, replicas, strict=True)
    return fleet_text.fleet(replace(about.fleet.fleet, pools=tuple(replace(one, replicas=n) for one, n in pairs)))


def sizes(replicas: Sequence[int]) -> str:
    """Return the replicas of each pool: 2 + 6."""
    return " + ".join(map(str, replicas))


def pools(about: About) -> str:
    """Return what the sizes count: replicas of short A100 tp2 + long H100 tp8."""
    told = (f"{pool.name} {pool.gpu.upper()} {pool.division}" for pool in about.fleet.fleet.pools)
    return f"replicas of {' + '.join(told)}"
