"""How requests of two classes fared, in words."""

from dataclasses import replace

from fleettui.domain.plan import Estimate, PoolEvidence
from fleettui.reports.classes_text import classes

POOL = PoolEvidence(
    name="all",
    ttft=Estimate(value=0.4),
    tpot=Estimate(value=0.05),
    utilization=0.9,
    batch=9.0,
    further=(("batch.ttft", Estimate(value=12.0)), ("batch.tpot", Estimate(value=0.05))),
    attainments=(("interactive", Estimate(value=0.9932)), ("batch", Estimate(value=1.0))),
)


def test_each_pool_says_how_many_of_each_class_kept_their_limits_and_how_long_batch_took() -> None:
    assert classes([POOL]) == (
        "latencies are of interactive requests unless they say batch; kept their limits: all interactive 99.3 %, "
        "batch 100 %, batch TTFT 12 s, TPOT 50 ms"
    )
    assert classes([replace(POOL, attainments=())]) == ""
