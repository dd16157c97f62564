"""A pool's order by load, and the choice of the least loaded replica from it, as plain Python, against counting."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fleettui.routing.length import choose
from fleettui.routing.load_order import add_one, take_one
from tests.repeated import few
from tests.routing.views import part_of_view


class Pool:
    """A pool whose replicas stand from `first` on among others, and the loads that its order should have."""

    def __init__(self, size: int, *, first: int = 0, start: int = 0, most: int = 500) -> None:
        self.first, self.start, self.size = first, start, size
        self.order, self.rank = list(range(first + size + 2)), list(range(first + size + 2))
        self.ends = [-9] * start + [size] * (most + 2)
        self.loads = dict.fromkeys(range(first, first + size), 0)

    @property
    def least(self) -> int:
        return min(self.loads.values())

    def choose(self, tie: float) -> int:
        pool = part_of_view(start=self.first, levels=self.start, least=self.least)
        return choose(part_of_view(order=self.order, ends=self.ends), pool, part_of_view(tie=tie))

    def add(self, replica: int) -> None:
        add_one(self.order, self.rank, self.ends, self.first, self.start, replica, self.loads[replica])
        self.loads[replica] += 1

    def take(self, replica: int) -> None:
        take_one(self.order, self.rank, self.ends, self.first, self.start, replica, self.loads[replica])
        self.loads[replica] -= 1

    def check(self) -> None:
        own = self.order[self.first : self.first + self.size]
        assert sorted(own) == sorted(self.loads)
        assert [self.loads[replica] for replica in own] == sorted(self.loads.values())
        assert all(self.order[self.rank[replica]] == replica for replica in own)
        for load in range(max(self.loads.values()) + 2):
            at_most = sum(one <= load for one in self.loads.values())
            assert self.ends[self.start + load] == at_most
        others = [*range(self.first), self.first + self.size, self.first + self.size + 1]
        assert all(self.order[place] == self.rank[place] == place for place in others), "another pool's replica moved"
        assert all(end == -9 for end in self.ends[: self.start]), "another pool's loads changed"


@pytest.mark.parametrize("seed", few(range(10), 3, more=7))
def test_whatever_comes_and_goes_the_order_is_by_load_and_the_choice_is_least(seed: int) -> None:
    rng = random.Random(seed)
    pool = Pool(rng.randint(1, 12), first=3 * seed, start=7 * seed)
    for _ in range(1_500):
        busy = [replica for replica, load in pool.loads.items() if load]
        if busy and rng.random() < 0.48:
            pool.take(rng.choice(busy))
        else:
            chosen = pool.choose(rng.random())
            assert pool.loads[chosen] == pool.least
            pool.add(chosen)
        pool.check()


@pytest.mark.parametrize("seed", few(range(10), 3, more=7))
def test_the_order_holds_for_any_replica_that_is_given_more(seed: int) -> None:
    """Loads may differ by more than the rule would let them, as after many completions at one replica."""
    rng = random.Random(seed)
    pool = Pool(6, first=1)
    for _ in range(400):
        replica = rng.choice(list(pool.loads))
        if pool.loads[replica] and rng.random() < 0.5:
            pool.take(replica)
        else:
            pool.add(replica)
        pool.check()


def test_equals_are_chosen_alike() -> None:
    """Of 8 replicas 5 have the least load; each is chosen a fifth of the time, whatever happened before."""
    rng = random.Random(1)
    pool = Pool(8)
    for replica in (2, 5, 7, 7, 0, 1, 3, 4, 6, 5, 2):
        pool.add(replica)
    counts = Counter(pool.choose(rng.random()) for _ in range(10_000))
    equals = [replica for replica, load in pool.loads.items() if load == pool.least]
    assert sorted(counts) == sorted(equals)
    assert len(equals) == 5
    assert sum((count - 2_000) ** 2 / 2_000 for count in counts.values()) < 18.5  # chi-square, 4 degrees, P = .001


def test_every_tie_below_one_is_a_replica() -> None:
    pool = Pool(3, first=4)
    assert [pool.choose(tie) for tie in (0.0, 0.3, 0.34, 0.6, 0.7, 1.0 - 2**-53)] == [4, 4, 5, 5, 6, 6]
