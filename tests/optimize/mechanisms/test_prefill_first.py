"""Prompts before decodes: a trade, shorter waits against longer tokens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.optimize.mechanisms import prefill_first
from fleettui.optimize.mechanisms.agent_sessions import ENGINE
from fleettui.optimize.mechanisms.prefill_first import rows, seen


def test_it_is_a_trade(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefill_first, "REQUESTS", 1500)
    mixed = replace(ENGINE, budget=8192, places=256)
    plain, first = (seen(replace(mixed, alone=alone), 12.0, seed=1, index=0) for alone in (False, True))
    assert first.ttft < plain.ttft
    assert first.tpot > plain.tpot


@pytest.mark.evidence
def test_the_table_tells_every_figure_by_rate() -> None:
    found = rows(1, lambda *_: None)
    assert len(found) == 4 * len(prefill_first.RATES) + 1
