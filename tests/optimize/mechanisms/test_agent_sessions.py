"""Sessions of agents: the schedulers' order is shown."""

from __future__ import annotations

import pytest

from fleettui.optimize.mechanisms.agent_sessions import CASES, rows, seen


@pytest.mark.evidence
def test_the_repaired_rule_beats_the_order_of_coming_and_the_printed_one() -> None:
    """Of a short first round of 4096 tokens a step of 2048 cuts, the printed rule makes a long session."""
    names = ("paged", "mlfq", "h2q-br", "h2q-br-repaired")
    plain, queues, printed, repaired = (seen(name, 0.95, 0.05, seed=1, index=0) for name in names)
    assert repaired.p95 < queues.p95 < plain.p95
    assert repaired.short_p95 < queues.short_p95 < plain.short_p95
    assert repaired.mean < queues.mean < plain.mean < printed.mean
    assert repaired.hidden == pytest.approx(plain.hidden, rel=0.05)


@pytest.mark.evidence
def test_the_table_has_every_scheduler_and_says_what_cannot_be_had() -> None:
    found = {row.name: row for row in rows(1, lambda *_: None)}
    for load, share in CASES:
        assert found[f"mlfq: p95 aTTFT, load {load:.0%}, {share:.0%} heavy"].shown == "lower"
        for words in ("p95 aTTFT of short sessions", "mean aTTFT"):
            assert found[f"h2q-br-repaired: {words}, load {load:.0%}, {share:.0%} heavy"].shown == "lower"
    assert sum(row.ours is None for row in found.values()) == 2
