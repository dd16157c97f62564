"""Roles on cheaper GPUs: which gate refuses which."""

from dataclasses import replace

import pytest

from fleettui.optimize.mechanisms.cheaper_roles import DENSE, EXPERTS, SWAPS, SWEEPS, rows, swapped


@pytest.mark.thorough
def test_prefill_keeps_its_gpus_and_attention_beside_experts_may_have_cheaper_ones() -> None:
    pairs = swapped(replace(EXPERTS, layouts=EXPERTS.layouts[:1]), seed=1, index=0)
    gates = {roles[0]: one.refused_by(plain) for (_, roles, _), (one, plain) in zip(SWAPS, pairs, strict=True)}
    assert (gates["prefill"], gates["attention"]) == ("compute", "")
    assert all(one.cost < plain.cost for one, plain in pairs)


@pytest.mark.evidence
def test_each_role_has_its_ratio_its_gate_and_its_tokens_for_a_dollar() -> None:
    found = rows(1, lambda *_: None)
    longer = {row.name.partition(" of ")[0]: row for row in found if row.name.endswith("arithmetic alone")}
    assert set(longer) == {f"{one.model}, {roles[0]}" for one in SWEEPS for _, roles, _ in SWAPS}
    for sweep in SWEEPS:
        assert longer[f"{sweep.model}, prefill"].shown == "higher"
        assert longer[f"{sweep.model}, prefill"].note.startswith("refused at gate 1")
    assert longer[f"{DENSE.model}, feed-forward"].note.startswith("refused at gate 1")
    assert longer[f"{EXPERTS.model}, attention"].note.startswith("accepted")
    gains = [row for row in found if row.name.endswith("for a dollar")]
    assert len(gains) == len(SWEEPS) * len(SWAPS)
    assert found[-1].ours is None
