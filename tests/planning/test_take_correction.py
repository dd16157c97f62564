"""What a backtest corrects is taken into a question by the study's handle, or it is said why it cannot be."""

from dataclasses import replace

import pytest

from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.take_correction import take_correction
from fleettui.reports.backtest.study import backtest_study
from store import Store
from tests.planning.simulated import Here
from tests.reports.backtest.samples import GOOD, ROWS, fit, found
from tests.store import samples


def kept(store: Store, **changes: object) -> Study:
    """Keep a made-up backtest of a plan in the store."""
    plan = samples.add(store)
    assert plan.answer is not None
    return store.add_study(backtest_study(replace(found(**changes), plan=plan, fleet=plan.answer)))


async def test_another_rate_is_a_rate(store: Store) -> None:
    study = kept(store, fits=(fit("arrival rate", 0.5, 1.0, 0.36, 0.036, 60.0, 9.0),))
    taken = await take_correction(StudyContext(store, Here()), study.handle)
    assert taken == {"rate": "41.65/s"}, "half of the 83.3/s that were planned for"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"rows": tuple(replace(row, seen=row.predicted) for row in ROWS)}, "it corrects nothing"),
        ({"fits": (replace(GOOD, misfit=300.0),)}, "it corrects nothing"),
        ({}, "step times were written down, by no law"),
        ({"fits": (fit("KV blocks", 1.2, 1.0, 0.36, 0.036, 60.0, 9.0),)}, "a fit holds step times"),
    ],
)
async def test_what_cannot_be_taken_says_why(store: Store, changes: dict[str, object], told: str) -> None:
    study = kept(store, **changes)
    with pytest.raises(InputError, match=told):
        await take_correction(StudyContext(store, Here()), study.handle)


async def test_what_is_advised_was_not_refused_before(store: Store) -> None:
    """Found: --keep had just refused what it saw, and the remedy was to use --keep."""
    holds = kept(store, rows=tuple(replace(row, seen=row.predicted) for row in ROWS))
    unexplained = kept(store, fits=(replace(GOOD, misfit=300.0),))
    told = []
    for study in (holds, unexplained):
        with pytest.raises(InputError) as refused:
            await take_correction(StudyContext(store, Here()), study.handle)
        told.append(str(refused.value))
    assert ["--keep" in one for one in told] == [True, False]
    assert "with ends where not known so well: ttft.p99=250ms..500ms" in told[1]


async def test_another_study_is_no_backtest(store: Store) -> None:
    samples.add(store)
    with pytest.raises(InputError, match="this is no backtest"):
        await take_correction(StudyContext(store, Here()), store.add_study(samples.study("last")).handle)
