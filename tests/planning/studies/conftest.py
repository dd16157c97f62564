from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.plan import Candidate
from fleettui.domain.study import Study
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, trace

StudyOf = Callable[..., Awaitable[tuple[Candidate, Study]]]


@pytest.fixture
def study_of(store: Store, workers: Watched, tmp_path: Path) -> StudyOf:
    """Return what makes a small plan by formula, its question changed as is said, and a study of a kind of it."""

    async def made(kind: str, **changes: Any) -> tuple[Candidate, Study]:
        plan = await make_plan(question(trace(tmp_path), **{"verify": False, **changes}), store=store, pool=workers)
        assert plan.answer is not None, "the small question has a fleet"
        return plan.answer, await make(kind, store, pool=workers, plan=plan.plan.id)

    return made
