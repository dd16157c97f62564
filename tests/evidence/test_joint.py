"""What a run of joint plans beside others claims."""

import math

from tests.evidence.joint import Compared, claims


def compared(
    together: float | None, apart: float | None, larger: float | None, *, fits: bool = True, named: bool = False
) -> Compared:
    return Compared(together, apart, larger, fits, named, (1.0, 1.0, 1.0))


def test_a_plan_that_is_dearer_or_fails_alone_breaks_its_claim() -> None:
    kept = compared(10.0, 10.0, 10.0)
    assert [met for _, met in claims([kept, compared(None, None, None)])] == [True, True, True]
    assert [met for _, met in claims([kept, compared(10.2, 10.0, 10.2)])] == [False, True, True]
    assert [met for _, met in claims([kept, compared(10.0, 10.0, 10.2)])] == [True, False, True]
    assert [met for _, met in claims([kept, compared(10.0, 10.0, 9.0)])] == [True, True, False]
    assert [met for _, met in claims([kept, compared(10.0, 10.0, 9.0, fits=False)])] == [True, True, True]
    assert compared(None, None, 10.0).dearer_with_less == math.inf
    assert [met for _, met in claims([kept, compared(10.0, 10.0, 10.2, named=True)])] == [True, True, True]
    assert compared(None, 10.0, None).dearer == compared(10.0, None, None).dearer_with_more == math.inf
    assert claims([kept, compared(10.0, None, 10.0)])[0][0].startswith("no joint plan of 1 is")


def test_where_nothing_was_compared_nothing_is_met() -> None:
    assert [met for _, met in claims([])] == [False, False, False]
    assert [met for _, met in claims([compared(None, None, 9.0, fits=False)])] == [False, False, False]
