"""Architectures within a number of GPUs under a loose and a tight bound on TTFT (Frontier, Section 6.1).

Most output tokens per second that each of co-location, prefill apart and attention apart serves while P95 TTFT and TPOT
are kept. The paper's lengths and its numbers are not legible, only who is first: prefill apart under the loose bound,
attention apart under the tight one, since the other's prefill grows at the expense of decode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.afd import AfdLayout
from fleettui.domain.dtype import Dtype
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.kv_transfer import cache_size, links_between
from fleettui.hardware.profile import build_profile
from fleettui.optimize.afd_replicas import afd_replica, as_run, mean_context, widest
from fleettui.optimize.architectures import Architectures
from fleettui.optimize.mechanisms.mechanism import Mechanism, Row, change
from fleettui.optimize.ranges import Slices

PAPERS = ("together", "apart", "afd")
"""The architectures that the paper compares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What is served on so many GPUs of a type: replicas of `tp` GPUs, AFD ones by `layouts`, P95 limits in seconds."""

    model: str
    dtype: Dtype
    gpus: int
    tp: tuple[int, ...]
    layouts: tuple[str, ...]
    context: int
    ttft: float
    tpot: float
    gpu: str = "h100"

    def architectures(self, slices: Slices) -> Architectures:
        """Return what may be built for requests of these lengths."""
        model, gpu = catalog.model(self.model), catalog.gpu(self.gpu)
        slo = Slo(ttft=self.ttft, tpot=self.tpot, percentile=0.95)
        question = Question(workload=self.model, model=self.model, slo=slo, pools=(1,), step_law="kernels")
        profiles = tuple(build_profile(gpu, model, dtype=self.dtype, tp=tp, step_law="kernels") for tp in self.tp)
        like = widest(profiles)

        def attention_apart(text: str) -> tuple[str, Profile]:
            replica = afd_replica(AfdLayout.read(text), (gpu, gpu), like, question, link=None)
            prices = like.price_per_hour, like.price_per_hour
            return text, as_run(replica.profile(like, prices, mean_context(slices)), like)

        return Architectures(
            question=question,
            slices=slices,
            context=self.context,
            gpus=self.gpus,
            profiles=profiles,
            afd=tuple(map(attention_apart, self.layouts)),
            cache=cache_size(model, like.kv_dtype),
            links_of=lambda prefill, decode: links_between(prefill, decode, {gpu.name: gpu}, None),
            only=PAPERS,
        )


LOOSE, TIGHT = 2.0, 0.4
"""Seconds of both bounds on TTFT."""
SWEEP = Sweep(
    model="llama-3.3-70b",
    dtype="bf16",
    gpus=256,
    tp=(4, 8),
    layouts=("tp4/tp4", "tp2dp2/tp4", "tp4dp2/tp8", "tp8/tp8"),
    context=16_384,
    ttft=LOOSE,
    tpot=0.05,
)
PROMPT, OUTPUT, SPREAD, LENGTHS = 2048, 256, 0.6, 200
"""Mean tokens of a request, the deviation of their logarithm, and how many lengths a run draws."""
RUNS, STEPS = 8, 20
"""Draws of lengths, and rates up to the highest at which some fleet may keep up, each run's between those of others."""
PAIRS = (("afd", "apart"), ("together", "apart"), ("afd", "together"))
PRINTED = {
    ("afd", "apart", LOOSE): "printed as lower, its numbers illegible",
    ("afd", "apart", TIGHT): "printed as higher: here prefill apart stays first, and passes co-location",
    ("together", "apart", LOOSE): "printed as lower",
}
NOTHING_BESIDE = "with some of the lengths the second serves nothing within the bounds"

Most = dict[tuple[str, float], float]
"""Output tokens per second by architecture and bound."""


def slices_of(*, prompt: float, output: float, seed: int, index: int) -> Slices:
    """Return requests of drawn lengths, one a second."""
    rng = np.random.default_rng([seed, index])

    def tokens(mean: float) -> list[float]:
        drawn = rng.lognormal(np.log(mean) - SPREAD**2 / 2, SPREAD, LENGTHS)
        return [float(one) for one in np.maximum(np.rint(drawn), 2.0)]

    return ((1.0, tuple((1.0, *pair) for pair in zip(tokens(prompt), tokens(output), strict=True))),)


def at_rate(slices: Slices, rate: float) -> Slices:
    """Return the same requests at a rate."""
    return tuple((rate, atoms) for _, atoms in slices)


def most_tokens(seed: int, index: int) -> Most:
    """Return the most tokens per second of each architecture under each bound, for the lengths of a run."""
    slices = slices_of(prompt=PROMPT, output=OUTPUT, seed=seed, index=index)
    made = SWEEP.architectures(slices)
    highest = made.most_rate()
    most: Most = {(name, bound): 0.0 for name in PAPERS for bound in (LOOSE, TIGHT)}
    for step in range(1, STEPS + 1):
        tried = replace(made, slices=at_rate(slices, highest * (step - index / RUNS) / STEPS)).tried(lambda: None)
        for one in tried.points:
            for bound in (LOOSE, TIGHT):
                if one.ttft <= bound and one.tpot <= SWEEP.tpot:
                    key = one.architecture, bound
                    most[key] = max(most[key], one.tokens)
    return most


def rows(seed: int, tell: Callable[[str, int, int], None]) -> list[Row]:
    """Return what each architecture serves beside prefill apart under each bound, and what the tight one takes away."""
    runs = list[Most]()
    for index in range(RUNS):
        tell(f"lengths {index + 1}", index, RUNS)
        runs.append(most_tokens(seed, index))

    def beside(one: tuple[str, float], other: tuple[str, float], name: str, note: str = "") -> Row:
        values, plain = ([run[key] for run in runs] for key in (one, other))
        if min(plain) <= 0.0:
            return Row(name=name, note="; ".join(filter(None, (NOTHING_BESIDE, note))))
        return Row(name=name, ours=change(values, plain), note=note)

    found = [
        beside(
            (name, bound),
            (other, bound),
            f"tokens/s, {ARCHITECTURES.named(name).help} to {ARCHITECTURES.named(other).help}, TTFT {bound:g} s",
            PRINTED.get((name, other, bound), ""),
        )
        for bound in (LOOSE, TIGHT)
        for name, other in PAIRS
    ]
    found += [
        beside(
            (name, TIGHT), (name, LOOSE), f"tokens/s, {ARCHITECTURES.named(name).help}, TTFT {TIGHT:g} s to {LOOSE:g} s"
        )
        for name in PAPERS
    ]
    found += [
        Row(name="tokens/s and layouts of Figure 13", note="illegible; of the paper's H800 profile and workload"),
        Row(name="496 cases that keep the limits", note="of the paper's own enumeration"),
    ]
    return found


MECHANISM = Mechanism(
    title="FR 6.1",
    about=f"most output tokens/s within {SWEEP.gpus} {SWEEP.gpu.upper()} at P95 TPOT {1e3 * SWEEP.tpot:g} ms, by "
    f"formula over {STEPS} rates; {SWEEP.model} in {SWEEP.dtype}, mean lengths {PROMPT}/{OUTPUT}; low and high over "
    f"{RUNS} draws of them",
    rows=rows,
)
