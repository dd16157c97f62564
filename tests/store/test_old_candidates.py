"""Rows of older schemas become blocks: ranks that follow each other, with the same fields, up to SIZE of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fleettui.errors import UnreadableError
from store import old_candidates
from store.old_candidates import raised


def row(rank: int, body: dict[str, Any]) -> dict[str, Any]:
    return {"rank": rank, "body": json.dumps(body), "ttft": 0.5, "tpot": None, "e2e": 9.0}


def body(**more: Any) -> dict[str, Any]:
    return {"gpus": 8, "fleet": {"router": "length", "pools": [{"name": "a"}]}, "pools": [{"name": "b"}], **more}


def test_pools_that_were_held_whole_are_numbered_once() -> None:
    (one,) = raised([row(1, body()), row(2, body())], 7)
    assert one.parts == {7: '{"name":"a"}', 8: '{"name":"b"}'}
    assert one.block.columns["parts"] == [[[7], [8]], [[7], [8]]]
    columns = json.loads(one.body)
    assert (columns["worst.tpot"], columns["fleet.router"]) == ([None, None], ["length", "length"])


def test_a_block_ends_where_ranks_or_fields_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_candidates, "SIZE", 3)
    rows = [row(rank, body()) for rank in (0, 1, 2, 3, 7)] + [row(8, body(band=None))]
    found = [(one.block.first, len(one.block.ranks), len(one.parts)) for one in raised(rows, 1)]
    assert found == [(0, 3, 2), (3, 1, 0), (7, 1, 0), (8, 1, 0)]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"fleet":[]}', '{"fleet":{"pools":7},"pools":[]}', '{"parts":[]}'])
def test_a_body_that_is_no_candidates_is_told(text: str) -> None:
    with pytest.raises(UnreadableError, match="does not read"):
        list(raised([row(1, {}) | {"body": text}], 1))
