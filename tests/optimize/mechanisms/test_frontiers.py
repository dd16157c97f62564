"""Architectures under a loose and a tight bound: whose prefill waits behind decodes loses most to the tight one."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Estimate
from fleettui.optimize.mechanisms import frontiers
from fleettui.optimize.mechanisms.frontiers import LOOSE, NOTHING_BESIDE, SWEEP, TIGHT, Sweep, rows


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Sweep:
    """Fewer GPUs, rates and lengths."""
    few = replace(SWEEP, gpus=48, tp=(4,), layouts=("tp4/tp4",))
    for name, value in (("SWEEP", few), ("RUNS", 2), ("STEPS", 8), ("LENGTHS", 60)):
        monkeypatch.setattr(frontiers, name, value)
    return few


def value(one: Estimate | None) -> float:
    assert one is not None
    assert one.value is not None
    return one.value


@pytest.mark.thorough
def test_the_tight_bound_takes_most_from_replicas_that_do_both() -> None:
    """In the published configuration: with fewer GPUs or rates a step is larger than what is compared."""
    every = rows(1, lambda *_: None)
    assert [row.ours for row in every[-2:]] == [None, None]
    found = {row.name: row for row in every[:-2]}
    fell = [
        value(found[f"tokens/s, {name}, TTFT {TIGHT:g} s to {LOOSE:g} s"].ours)
        for name in ("co-located", "prefill apart", "attention apart")
    ]
    assert max(fell) <= 0.0
    assert fell[0] < min(fell[1:])
    loose, tight = (
        value(found[f"tokens/s, attention apart to co-located, TTFT {bound:g} s"].ours) for bound in (LOOSE, TIGHT)
    )
    assert tight > loose


def test_runs_draw_other_lengths(small: Sweep) -> None:
    one, other = (frontiers.slices_of(prompt=2048, output=256, seed=1, index=index) for index in (0, 1))
    assert one != other
    assert small.architectures(one).gpus == 48


def test_where_an_architecture_serves_nothing_nothing_is_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one of the runs attention apart keeps neither bound."""

    def most_tokens(_seed: int, index: int) -> dict[tuple[str, float], float]:
        served = {"together": 50.0, "apart": 100.0, "afd": 80.0 * (index > 0)}
        return {(name, bound): tokens for name, tokens in served.items() for bound in (LOOSE, TIGHT)}

    monkeypatch.setattr(frontiers, "most_tokens", most_tokens)
    found = {row.name: row for row in rows(1, lambda *_: None)}
    assert value(found[f"tokens/s, co-located to prefill apart, TTFT {LOOSE:g} s"].ours) == -0.5
    fell = found[f"tokens/s, attention apart, TTFT {TIGHT:g} s to {LOOSE:g} s"]
    assert (fell.ours, fell.note) == (None, NOTHING_BESIDE)
    assert value(found[f"tokens/s, attention apart to prefill apart, TTFT {TIGHT:g} s"].ours) < 0.0
