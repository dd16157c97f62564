"""The step law agrees with newer closed loops, most of models with latent attention."""

import pytest

from tests.evidence import newer_runs


@pytest.mark.thorough
def test_newer_runs_are_predicted_within_their_bounds() -> None:
    assert newer_runs.main() == 0
