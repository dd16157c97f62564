"""A scheduler and workers in this process, so that a test of the way there and back takes no processes."""

import warnings
from collections.abc import AsyncIterator

import pytest_asyncio
from distributed import LocalCluster

from fleettui.planning.cluster.address import Cluster
from fleettui.planning.cluster.pool import ClusterPool
from tests.planning import example_worker


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def dask() -> AsyncIterator[LocalCluster]:
    """Two workers of one thread each; what Dask itself warns of at its start and end is not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        async with LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            asynchronous=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=None,
            protocol="tcp://",
        ) as cluster:
            yield cluster


@pytest_asyncio.fixture(loop_scope="module")
async def there(address: Cluster, example: tuple[str, ...]) -> AsyncIterator[ClusterPool]:
    """Return a pool whose tasks are those that misbehave."""
    async with ClusterPool(address, command=example, find=example_worker.find) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def address(dask: LocalCluster) -> Cluster:
    """Return how `--cluster` would name it."""
    return Cluster(text=dask.scheduler_address, scheduler=dask.scheduler_address)
