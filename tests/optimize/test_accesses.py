"""When parts of prompts are asked for again."""

import pytest

from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.sessions import SessionRecord
from fleettui.optimize.accesses import of_prefixes, of_sessions
from fleettui.queueing.reuse import Reuse
from fleettui.workloads.shared_prefixes import reusable

ANY = (0, 10_000)


def test_later_rounds_ask_for_what_earlier_ones_added() -> None:
    record = SessionRecord(rows=((100, 20, 0.0, 200, 30, 5.0),), common=10)
    found = of_sessions(record, ANY)
    assert sorted(zip(found.time.tolist(), found.tokens.tolist(), strict=True)) == [
        (0.0, 20.0),
        (0.0, 90.0),
        (5.0, 20.0),
        (5.0, 30.0),
        (5.0, 80.0),
        (5.0, 90.0),
    ]
    assert (found.requests, found.prompt, found.common) == (2, 150.0, 10.0)
    share = Reuse.of(found).share(rate=1.0, replicas=3, room=1e9, together=True)
    assert share == pytest.approx((10 + 10 + 110) / 300)


def test_a_round_that_was_cut_asks_for_what_all_have_in_common_alone() -> None:
    record = SessionRecord(rows=((100, 20, 0.0, 60, 30, 5.0),), common=10)
    found = of_sessions(record, ANY)
    assert len(set(found.part.tolist())) == len(found.part)


def test_of_a_pool_only_rounds_of_its_lengths_are_asked_for() -> None:
    record = SessionRecord(rows=((100, 20, 0.0, 200, 30, 5.0),))
    found = of_sessions(record, (0, 150))
    assert (found.requests, found.prompt) == (1, 100.0)
    assert Reuse.of(found).share(rate=1.0, replicas=1, room=1e9, together=True) == 0.0


def test_blocks_that_the_same_requests_ask_for_are_one_part() -> None:
    record = PrefixRecord(block=16, rows=((48, 1, 0, 3), (48, 1, 0, 2, 7, 1), (20, 1, 9, 1)))
    found = of_prefixes(record, ANY)
    assert sorted(found.tokens.tolist()) == [16.0, 16.0, 16.0, 32.0, 32.0]
    share = Reuse.of(found).share(rate=1.0, replicas=1, room=1e9, together=True)
    assert share == pytest.approx(reusable(record))
