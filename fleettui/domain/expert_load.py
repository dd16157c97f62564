"""How tokens choose among the routed experts of a layer: evenly, by a power of the rank, or as a server counted them.

Where nothing is said experts take what kernels took that were measured with experts chosen by a power law.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.hardware import Model
    from fleettui.domain.scenario import Question

WHERE = "--expert-load"
UNIFORM, ZIPF, MEASURED = "uniform", "zipf", "measured"
EXAMPLE = "uniform, zipf:0.5 (popularity falls as rank^-0.5), or a file of tokens per expert (JSON or CSV)"
MEAN = 1000
"""What stands for the mean of measured counts, as they are kept."""
MOST_EXPERTS, MOST_POWER = 1024, 3.0
_POWER = re.compile(r"(\d(?:\.\d{1,4})?|\.\d{1,4})")
_COUNTS = re.compile(r"\d{1,7}(?:/\d{1,7})+")


@dataclass(frozen=True, slots=True)
class ExpertLoad:
    """Popularity of experts: by rank^−`power`, in another order in each layer, or by `counts` of tokens in their order.

    Experts are chosen evenly where the power is 0 and nothing was counted.
    """

    power: float = 0.0
    counts: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The load as it is kept."""
        if self.counts:
            return f"{MEASURED}:{'/'.join(map(str, self.counts))}"
        return f"{ZIPF}:{self.power:g}" if self.power else UNIFORM

    @property
    def words(self) -> str:
        """The load in words."""
        if self.counts:
            return (
                f"experts chosen as counted: the busiest of {len(self.counts)} {max(self.counts) / MEAN:.3g} x the mean"
            )
        return f"popularity of experts falls as rank^-{self.power:g}" if self.power else "experts chosen evenly"

    def check(self, model: Model) -> None:
        """Raise InputError for a model without routed experts, and where so many of its experts were not counted."""
        if not model.experts:
            what, remedy = f"{model.name} has no routed experts", f"leave out {WHERE}"
            raise InputError(what, where=WHERE, value=self.short, remedy=remedy)
        if not self.counts:
            return
        if len(self.counts) != model.experts:
            raise InputError(
                f"tokens of {len(self.counts)} experts were counted, and {model.name} has {model.experts} in a layer",
                where=WHERE,
                value=self.short,
                accepted=f"a count for each of {model.experts}",
            )
        chosen = sum(one > 0 for one in self.counts)
        if chosen < model.experts_per_token:
            raise InputError(
                f"{chosen} experts had tokens, and each token of {model.name} uses {model.experts_per_token}",
                where=WHERE,
                value=self.short,
                accepted=f"counts above 0 for {model.experts_per_token} experts or more",
            )

    @property
    def short(self) -> str:
        """The load as it is kept, without its counts."""
        return f"{MEASURED}:{'/'.join(map(str, self.counts[:3]))}/..." if self.counts else self.text


@cache
def expert_load(text: str, where: str | None = WHERE) -> ExpertLoad:
    """Return what a text says that names no file; raises InputError.

    >>> expert_load("Uniform").text, expert_load("zipf:0.50").text, expert_load("measured:20/10/30").text
    ('uniform', 'zipf:0.5', 'measured:1000/500/1500')
    """
    kind, colon, rest = text.strip().lower().partition(":")
    if kind == UNIFORM and not colon:
        return ExpertLoad()
    if kind == ZIPF and _POWER.fullmatch(rest.strip()) and 0.0 < float(rest) <= MOST_POWER:
        return ExpertLoad(power=float(rest))
    if kind == ZIPF:
        accepted = f"{ZIPF}:P, P above 0, up to {MOST_POWER:g}; {UNIFORM} for 0"
        raise InputError("no such power of the rank", where=where, value=text, accepted=accepted)
    if kind == MEASURED and _COUNTS.fullmatch(rest.strip()):
        return measured([float(one) for one in rest.split("/")], where)
    raise InputError("this says no load of experts", where=where, value=text[:60], accepted=EXAMPLE)


def measured(counts: list[float], where: str | None) -> ExpertLoad:
    """Return the load of experts that had so many tokens each, in their order; raises InputError where none had any."""
    if not 2 <= len(counts) <= MOST_EXPERTS:
        what = "so many experts were not counted anywhere"
        raise InputError(what, where=where, value=len(counts), accepted=f"2 to {MOST_EXPERTS}")
    if not sum(counts):
        raise InputError("no expert had a token", where=where, accepted="counts above 0")
    return ExpertLoad(counts=tuple(round(MEAN * len(counts) * one / sum(counts)) for one in counts))


def check(asked: Question) -> None:
    """Raise InputError where a question says a load and the law of its steps, or its fit, does not take one."""
    if not asked.expert_load:
        return
    said = expert_load(asked.expert_load)
    if said.text != asked.expert_load:
        raise InputError("this is not as it is written", where=WHERE, value=said.short)
    if asked.step_law == "roofline" and asked.preset != "paper":
        raise InputError(
            "the roofline's line does not know how unevenly experts are chosen",
            where=WHERE,
            value=said.short,
            remedy=f"add --step-law kernels, or leave out {WHERE}",
        )
    if asked.fit is not None:
        raise InputError(
            f"the fit {asked.fit.name} has the load of its servers' experts in it",
            where=WHERE,
            value=said.short,
            remedy=f"leave out {WHERE}, or --profile",
        )
