"""Limits refuse what cannot be meant."""

import pytest

from fleettui.domain.slo import Slo
from fleettui.errors import InputError


def test_an_slo_is_positive_and_one_can_be_required() -> None:
    with pytest.raises(InputError, match="--slo-ttft 500ms"):
        Slo().require_a_limit()
    Slo(tpot=0.1).require_a_limit()
    with pytest.raises(InputError, match="SLO on tpot"):
        Slo(tpot=0.0)
    with pytest.raises(InputError, match="percentile"):
        Slo(ttft=1.0, percentile=1.0)
    assert [(one.name, one.seconds) for one in Slo(ttft=1.0, e2e=9.0).limits()] == [("ttft", 1.0), ("e2e", 9.0)]
