"""Pages of a large store: `pytest tests/benchmarks/test_large_store.py --benchmark-only -n 0`.

A plan with 1,000,000 candidates opens within 0.2 s and gives any page within 0.2 s, the list of 100,000 plans within
30 ms. Candidates are stored in about the time in which each would be written as JSON (the factor in brackets).
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.serialization import encode
from store import Store
from store.engine import connect
from tests.evidence.large_plan import sweep
from tests.store import samples

CANDIDATES, SOME, PLANS, PAGE = 1_000_000, 100_000, 100_000, 50
Benchmark = Callable[..., object]

COPY = """
    INSERT INTO {table} ({names})
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {count})
    SELECT {values} FROM {table} JOIN number WHERE {table}.id = ?
"""


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store of one plan with CANDIDATES candidates and PLANS others, whose bodies are as long as true ones."""
    path = tmp_path_factory.mktemp("big") / "big.db"
    with Store.open(path, clock=samples.clock(), entropy=lambda: 1) as store:
        samples.add(store, sweep(CANDIDATES))
        other = samples.add(store, samples.answer(1, name="other"))
        copy(path, "plan", other.plan.id, PLANS, {
            "id": "printf('0-%07d', n)", "handle": "printf('%08x', n)", "name": "iif(n % 3, printf('plan %d', n), '')",
            "cost_per_hour": "abs(random() % 5000) / 10.0", "ttft": "abs(random() % 900) / 1000.0",
            "verdict": "iif(n % 5, 'pass', 'fail')", "archived": "n % 10 = 0", "workload": "printf('trace %d', n % 7)",
        })  # fmt: skip
        with closing(connect(path, read_only=False)) as raw:
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        yield store


def copy(path: Path, table: str, original: str, count: int, changed: dict[str, str]) -> None:
    """Write `count` copies of a row, the `changed` columns being these expressions of n, which counts from 1."""
    with closing(connect(path, read_only=False)) as raw:
        names = [row[1] for row in raw.execute(f"PRAGMA table_info({table})")]
        listed, values = (
            ", ".join(f'"{one}"' for one in names),
            ", ".join(changed.get(one, f'"{one}"') for one in names),
        )
        raw.execute(COPY.format(table=table, names=listed, values=values, count=count), (original,))


@pytest.fixture(scope="module")
def many() -> Answer:
    """An answer of SOME candidates."""
    return sweep(SOME)


@pytest.mark.benchmark(group="storing 100,000 candidates")
def test_yardstick_each_candidate_as_json(benchmark: BenchmarkFixture, many: Answer) -> None:
    benchmark.pedantic(lambda: [encode(Candidate, one) for one in many.candidates], rounds=3)


@pytest.mark.benchmark(group="storing 100,000 candidates")
def test_storing_candidates(benchmark: BenchmarkFixture, many: Answer, tmp_path: Path) -> None:
    with Store.open(tmp_path / "many.db") as store:
        benchmark.pedantic(samples.add, (store, many), rounds=3)
        assert store.count_candidates("last") == SOME


@pytest.mark.benchmark(group="opening")
def test_a_plan_of_a_million_candidates_opens(benchmark: Benchmark, big: Store) -> None:
    def opened() -> int:
        with Store.open(big.path) as store:
            assert store.plan("wide", most=PAGE).answer
            return store.count_candidates("wide")

    assert benchmark(opened) == CANDIDATES


@pytest.mark.parametrize("order", ["rank", "cost_per_hour", "ttft"])
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.benchmark(group="a page of 1,000,000 candidates")
def test_any_page_of_candidates(benchmark: Benchmark, big: Store, order: str, share: float) -> None:
    offset = int(share * (CANDIDATES - PAGE))
    page = benchmark(big.candidates, "wide", order=order, offset=offset, limit=PAGE)
    assert len(page) == PAGE  # type: ignore[arg-type]


@pytest.mark.parametrize("sort", ["created", "cost", "name"])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.benchmark(group="a page of 100,000 plans")
def test_any_page_of_plans(benchmark: Benchmark, big: Store, sort: str, share: float) -> None:
    offset = int(share * (PLANS - PAGE))
    page = benchmark(big.plans, sort=sort, archived=True, offset=offset, limit=PAGE)
    assert len(page) == PAGE  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["", "trace", "trace cost<20", "nowhere"])
@pytest.mark.benchmark(group="searching 100,000 plans")
def test_searching_plans(benchmark: Benchmark, big: Store, query: str) -> None:
    benchmark(lambda: (big.count(query), big.plans(query, limit=PAGE)))
