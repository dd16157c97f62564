"""Other planners beside ours: their laws by hand, their constants against the peak, and the public runs."""

import pytest

from fleettui.optimize.published.rivals import BLIS_SERVERS, CLAIMS, PUBLIC_RUNS, Regression
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.rivals import IMPOSSIBLE, tables


def test_a_regression_takes_its_prompts_with_every_step() -> None:
    law = Regression(model="x", tp=1, base=1e-3, prompt_token=1e-5, decode=2e-5, streamed=5e-4)
    assert law.token(clients=10, prompt=2000, output=500) == pytest.approx(1e-3 + 2e-4 + 4e-4 + 5e-4)


def test_every_claim_has_a_source_and_an_order() -> None:
    assert all(one.source and one.runs and (one.most is None or one.most > one.error > 0.0) for one in CLAIMS)


def test_constants_above_the_peak_are_marked_and_ours_are_below() -> None:
    claims, constants, runs = tables(Context())
    assert len(claims.rows) == len(CLAIMS)
    found = constants.records()
    marked = {(row["model"], row["H100"]): row["mark"] == IMPOSSIBLE for row in found}
    assert marked["llama-3.3-70b bf16", 8]
    assert not marked["llama-3.3-70b bf16", 4]
    assert sum(row["planner"] == "BLIS, fitted per server" for row in found) == len(BLIS_SERVERS)
    (seventy,) = (row for row in found if (row["model"], row["H100"]) == ("llama-3.3-70b bf16", 8))
    assert seventy["MFU"] == pytest.approx(2 * 69.5e9 / (10.025593e-6 * 8 * 989e12), rel=0.02)
    ours = [row["MFU"] for row in found if str(row["planner"]).startswith("ours")]
    assert len(ours) == 6
    assert all(isinstance(one, float) and 0.1 < one < 0.65 for one in ours)
    assert len(runs.rows) == len(PUBLIC_RUNS)
    assert "ours, kernels 3% of 14" in runs.note
    assert "what this server takes of them were fitted to this sample" in runs.note
    first = runs.records()[0]
    assert first["BLIS, fitted per server"] == pytest.approx(23.66e-3, rel=1e-3)
    assert first["inference-fleet-sim"] is None
    for row in runs.records():
        kernels, measured = row["ours, kernels"], row["TPOT"]
        assert isinstance(kernels, float)
        assert isinstance(measured, float)
        assert kernels == pytest.approx(measured, rel=0.2)
