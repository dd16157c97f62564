import pytest

from fleettui.domain.workload import LengthDistribution
from fleettui.reports.length_curve import LengthCurve, curves

EVEN = LengthCurve(name="total", points=((100.0, 0.5), (300.0, 1.0)), even=True)
JOINT = LengthDistribution(kind="joint", atoms=((1.0, 90.0, 10.0), (2.0, 100.0, 100.0), (1.0, 50.0, 50.0)))


def test_joint_lengths_rise_by_steps() -> None:
    output, prompt, total = curves(JOINT)
    assert [one.name for one in (output, prompt, total)] == ["output", "prompt", "total"]
    assert total.points == ((100.0, 0.5), (200.0, 1.0))
    assert output.points == ((10.0, 0.25), (50.0, 0.5), (100.0, 1.0))
    assert [total.share(tokens) for tokens in (99.9, 100.0, 199.0, 200.0, 900.0)] == [0.0, 0.5, 0.5, 1.0, 1.0]
    assert [total.quantile(share) for share in (0.01, 0.5, 0.51, 1.0)] == [100.0, 100.0, 200.0, 200.0]
    assert total.carried_above(100.0) == pytest.approx(400 / 600)
    assert total.carried_above(200.0) == 0.0
    assert total.carried_above(0.0) == 1.0


def test_totals_are_spread_evenly_between_points() -> None:
    (total,) = curves(LengthDistribution(kind="total", cdf=EVEN.points, output_share=0.2))
    assert total == EVEN
    assert [EVEN.share(tokens) for tokens in (0.0, 50.0, 100.0, 200.0, 300.0, 301.0)] == [0, 0.25, 0.5, 0.75, 1, 1]
    assert [EVEN.quantile(share) for share in (0.25, 0.5, 0.75, 1.0)] == [50.0, 100.0, 200.0, 300.0]
    assert EVEN.carried_above(200.0) == pytest.approx(0.25 * 250 / (0.5 * 50 + 0.5 * 200))


def test_a_flat_stretch_holds_no_quantile() -> None:
    flat = LengthCurve(name="total", points=((10.0, 0.0), (20.0, 0.5), (90.0, 0.5), (100.0, 1.0)), even=True)
    assert flat.quantile(0.5) == 20.0
    assert flat.quantile(0.0) == 10.0
    assert flat.share(50.0) == 0.5
    assert flat.carried_above(30.0) == pytest.approx(95 / (15 + 95))


def test_prompt_and_output_apart() -> None:
    apart = LengthDistribution(kind="marginals", prompt_cdf=((100.0, 1.0),), output_cdf=((10.0, 1.0),))
    assert [(one.name, one.even) for one in curves(apart)] == [("output", True), ("prompt", True)]
