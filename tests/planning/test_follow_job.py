import pytest

from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.errors import Interrupted
from fleettui.planning.follow_job import follow_job
from store import Store
from tests.store import samples


async def test_following_tells_how_far_it_is_and_ends_with_the_job(store: Store) -> None:
    _, job = samples.begin(store)
    store.beat(job.id, done=2, total=10, message="simulating H100 tp4 x3")
    told: list[Progress] = []
    begun: list[Answer] = []

    def end(progress: Progress) -> None:
        told.append(progress)
        store.end_job(job.id, "cancelled")

    with pytest.raises(Interrupted, match=f"jobs resume {job.handle}"):
        await follow_job(store, job.handle, report=end, begun=lambda plan, _: begun.append(plan))
    assert told == [Progress(message="simulating H100 tp4 x3", done=2, total=10)]
    assert [plan.plan.id for plan in begun] == [job.plan]
