"""What a search chose of the settings that were left to it, in words: how engines are set, how replicas are divided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.engine_settings import ALL_DIVISIONS, SEARCHED
from fleettui.domain.fleet import Pool, counted
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import OF_BUDGETS, OF_DIVISIONS, Candidate
from fleettui.domain.scenario import Question
from fleettui.hardware.step_table import times_experts
from fleettui.optimize.offers import Offer

BestOf = Callable[[Sequence[Offer]], Candidate | None]
"""Finds the best fleet of some of the offers, None where none holds."""


def chosen(answer: Candidate, offers: Sequence[Offer], question: Question, best_of: BestOf) -> tuple[str, ...]:
    """Return a sentence for each choice that was left to the search: what it chose, and what that saves by formula."""
    found = []
    if question.token_budget == SEARCHED:
        found.append(_budgets(answer, offers, question, best_of))
    said, divided = f"{OF_DIVISIONS}{question.parallel}: ", _Divided(answer, offers, question, best_of)
    if question.parallel is not None:
        found += [said + one for one in divided.experts()]
    if question.parallel == ALL_DIVISIONS:
        found += [said + one for one in (*divided.sequences(), *divided.lanes())]
    return tuple(found)


def _budgets(answer: Candidate, offers: Sequence[Offer], question: Question, best_of: BestOf) -> str:
    own: dict[str, Offer] = {}
    for one in offers:
        own.setdefault(one.profile.name, one)  # of each profile the engine's own budget stands first
    engines = {one.profile.gpu: f"{one.profile.settings.token_budget:,}" for one in own.values()}
    pools = answer.fleet.pools
    used = {gpu: tokens for gpu, tokens in engines.items() if gpu in {pool.gpu for pool in pools}}
    whole = any(one.profile.settled(question).whole for one in own.values())
    whose = "the first with every prompt whole," if whole else f"{question.engine}'s own"
    theirs = f"{whose} {_each(used)}"
    tried = sorted({one.profile.settings.token_budget for one in offers if one.profile.gpu in used})
    if all(f"{pool.token_budget:,}" == used[pool.gpu] for pool in pools):
        others = f"none of {tried[0]:,} to {tried[-1]:,} saves anything" if len(tried) > 1 else "no other is tried"
        return f"{OF_BUDGETS}{theirs} tokens a step; {others}"
    ours = _each({f"pool {pool.name}": f"{pool.token_budget:,}" for pool in pools})
    gain = _gain(answer, best_of(list(own.values())), question)
    return f"{OF_BUDGETS}{ours} tokens a step instead of {theirs}: {gain}"


def _each(values: dict[str, str]) -> str:
    """Return the value that all have, or each with its name.

    >>> _each({"h100": "8,192", "a100": "2,048"}), _each({"h100": "8,192"})
    ('8,192 (h100) and 2,048 (a100)', '8,192')
    """
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return " and ".join(f"{value} ({name})" for name, value in values.items())


@dataclass(frozen=True, slots=True)
class _Divided:
    """An answer whose replicas the search divided, the offers that it chose among, and how others would have done."""

    answer: Candidate
    offers: Sequence[Offer]
    question: Question
    best_of: BestOf

    def experts(self) -> Iterator[str]:
        """Yield what holding experts whole saves where that was tried."""
        whole = "experts whole on each GPU instead of divided"
        yield from self._saved("expert_parallel", whole, "holding experts whole on each GPU saves")
        if not any(one.profile.step.expert_share for one in self.offers):
            tried = "--tp alone" if self.question.parallel == SEARCHED else "--tp and how attention is divided alone"
            yield f"the model has no routed experts, so that {tried} was searched"

    def sequences(self) -> Iterator[str]:
        """Yield what dividing sequences instead of heads saves where that was tried."""
        where = "in lanes" if any(pool.layout for pool in self.answer.fleet.pools) else "on each GPU"
        yield from self._saved(
            "attention_dp", f"sequences {where} instead of heads", "attention that divides sequences saves"
        )

    def lanes(self) -> Iterator[str]:
        """Yield what lanes of several GPUs save where they were tried."""
        layout = next((pool.layout for pool in self.answer.fleet.pools if pool.layout), "")
        yield from self._saved("layout", f"lanes of several GPUs, {layout}", "lanes of several GPUs save")

    def _saved(self, way: str, told: str, nothing: str) -> Iterator[str]:
        """Yield what the `way` that pools and profiles are divided in, or not, saves over offers without it."""
        having = [pool for pool in self.answer.fleet.pools if getattr(pool, way)]
        without = [one for one in self.offers if not getattr(one.profile, way)]
        if having:
            yield f"{_of(having, self.answer)}{told}: {_gain(self.answer, self.best_of(without), self.question)}"
        elif len(without) < len(self.offers):
            yield f"{nothing} nothing, by formula"


def _of(pools: Sequence[Pool], answer: Candidate) -> str:
    """Return the pools that something is true of, nothing where it is of all."""
    if len(pools) == len(answer.fleet.pools):
        return ""
    return " and ".join(f"pool {pool.name}" for pool in pools) + ": "


def untried(profiles: Sequence[Profile], question: Question) -> tuple[str, ...]:
    """Return, where divisions are searched, where experts were not tried whole on each GPU, and why."""
    if question.parallel is None:
        return ()
    tried = {one.gpu for one in profiles if one.expert_parallel}
    unknown = {one.gpu for one in profiles if _has_experts(one) and not times_experts(one.step)}
    left_out = sorted(unknown - tried)
    return (f"experts whole on each GPU were not tried{_why_not(left_out, question)}",) if left_out else ()


def unmeasured(profiles: Sequence[Profile], question: Question) -> tuple[str, ...]:
    """Return a warning of each GPU that holds experts whole where neither kernels nor an own fit say what it takes."""
    found = {one.gpu: one for one in profiles if one.expert_parallel and not times_experts(one.step)}
    return tuple(
        f"on {gpu} how unevenly experts are chosen is not known: profile fit measures it"
        for gpu, one in found.items()
        if question.fit_of(one) is None
    )


def _has_experts(profile: Profile) -> bool:
    return profile.tp > 1 and profile.step.expert_share > 0.0


def _why_not(gpus: Sequence[str], question: Question) -> str:
    if question.step_law == "roofline":
        return ": the roofline does not know how unevenly they are chosen"
    return f" on {', '.join(gpus)}: no kernel of them was measured there or on a GPU like it"


def _gain(answer: Candidate, without: Candidate | None, question: Question) -> str:
    """Return what an answer saves against the best fleet without its choice."""
    if without is None:
        return "without it no fleet holds, by formula"
    if question.objective == "ttft":
        ours, theirs = (max(pool.ttft for pool in one.pools) for one in (answer, without))
        return f"TTFT {ours:.3g} s instead of {theirs:.3g} s, by formula"
    gpus, dollars = without.gpus - answer.gpus, without.cost_per_hour - answer.cost_per_hour
    watts = without.power - answer.power
    saved = (
        counted(gpus) if gpus > 0 else "",
        f"${dollars:.2f}/h" if dollars >= 0.005 else "",
        f"{watts / 1e3:.1f} kW" if watts >= 50.0 and question.objective in ("power", "energy") else "",
    )
    return f"saves {', '.join(filter(None, saved)) or 'neither GPUs nor money'}, by formula"
