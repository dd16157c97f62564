from pathlib import Path
from typing import Any, Protocol

import pytest

from fleettui.domain.plan import Candidate
from fleettui.domain.study import Study
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import STUDIES, asked, read_line
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace


class StudyOf(Protocol):
    """Makes a small plan, its question changed as is said, and a study of a kind of it; returns its fleet and that.

    What the study is asked is typed as in the app's line, such as "only random". The plan is by formula, its fleet the
    cheapest; where `replicas` of one or two pools are given it is these, and a few short runs of them are simulated.
    """

    async def __call__(
        self, kind: str, typed: str = "", *, replicas: tuple[int, ...] = (), **changes: Any
    ) -> tuple[Candidate, Study]: ...


@pytest.fixture
def study_of(store: Store, workers: Watched, tmp_path: Path) -> StudyOf:
    async def made(
        kind: str, typed: str = "", *, replicas: tuple[int, ...] = (), **changes: Any
    ) -> tuple[Candidate, Study]:
        wished = question(trace(tmp_path), **{"verify": bool(replicas), **changes})
        if replicas:
            plan = await simulate(sketch(*replicas), wished, store=store, pool=workers)
        else:
            plan = await make_plan(wished, store=store, pool=workers)
        assert plan.answer is not None, "the small question has a fleet"
        command = STUDIES.named(kind).command
        assert command is not None, "what nobody types is made by its own test"
        given = {command.arguments[0].name: plan.plan.id, **read_line(command, typed)}
        _, values = asked(command, given)
        return plan.answer, await make(kind, store, pool=workers, **values)

    return made
