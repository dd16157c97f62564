"""Query words choose plans; unknown ones are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.errors import InputError
from store import Store
from tests.repeated import few
from tests.store import samples


@pytest.fixture
def full(store: Store) -> Store:
    """Three plans, an hour apart: "chat in may" ($71.1), "code" ($171.1, 100 % tagged), and an infeasible one."""
    samples.add(store)
    dear = replace(samples.candidate(9, cost=171.1), pools=(samples.figures("short", ttft=0.9),))
    samples.add(store, replace(samples.answer(1, name="code"), answer=dear, candidates=(dear,)), workload_name="azure")
    samples.add(store, samples.infeasible("long_prompts"))
    store.add_tag("code", "100%")
    return store


@pytest.mark.parametrize(
    ("query", "names"),
    few(
        [
            ("", ["long_prompts", "code", "chat in may"]),
            ("MAY", ["chat in may"]),
            ("azure", ["code"]),
            ("llama", ["long_prompts", "code", "chat in may"]),
            ("100%", ["code"]),
            ("%", ["code"]),
            ("n_m", []),
            ("g_prompts", ["long_prompts"]),
            ("cost<150", ["chat in may"]),
            ("cost>=71.1 cost<=171.1", ["code", "chat in may"]),
            ("gpus>=17", ["code"]),
            ("gpus=16", ["chat in may"]),
            ("ttft<500ms", ["chat in may"]),
            ("ttft>0.5s", ["code"]),
            ("rate>=83.3/s may", ["chat in may"]),
            ("rate<50", []),
            ("verdict:infeasible", ["long_prompts"]),
            ("verdict:pass code", ["code"]),
            ("tag:100%", ["code"]),
            ("bf16", ["long_prompts", "code", "chat in may"]),
            ("fp8", []),
            ("dtype:bf16 may", ["chat in may"]),
            ("tag:100", []),
            ("gpu:A100", ["code", "chat in may"]),
            ("a100 cost<150", ["chat in may"]),
            ("gpu:a10", []),
            ("h10", []),
            ("model:70b workload:chat", ["long_prompts", "chat in may"]),
            ("name:code", ["code"]),
            ("since:100min", ["long_prompts", "code"]),
            ("since:14d", ["long_prompts", "code", "chat in may"]),
        ],
        8,
    ),
)
def test_words_choose_plans(full: Store, query: str, names: list[str]) -> None:
    with Store.open(full.path, clock=lambda: samples.MOMENT.replace(hour=14, minute=10)) as later:
        assert [row.name for row in later.plans(query)] == names
        assert later.count(query) == len(names)


def test_a_handle_or_its_start_finds_its_plan(full: Store) -> None:
    """Seen: nothing was found by the handle that every table prints."""
    for row in full.plans():
        assert [one.id for one in full.plans(query=row.handle)] == [row.id]
        assert row.id in [one.id for one in full.plans(query=row.handle[:3].upper())]
        assert len(full.plans(query=f"verdict:pass {row.handle}")) == (row.verdict == "pass")


@pytest.mark.parametrize(
    ("word", "accepted"),
    few(
        [
            ("colour:red", "cost<150"),
            ("price<3", "cost<150"),
            ("cost<", "a number"),
            ("cost<3ms", "a number"),
            ("ttft<500", "units ms, s"),
            ("rate>5/min", "a number"),
            ("since:14", "units ms, s"),
            ("since:99999999999d", "calendar"),
            ("verdict:good", "pass, fail"),
            ("dtype:fp9", "bf16, fp8"),
            ("tag:", "cost<150"),
            ("http://x", "cost<150"),
            ("'; DROP TABLE plan;--x:", "cost<150"),
        ],
        6,
    ),
)
def test_other_words_are_refused(full: Store, word: str, accepted: str) -> None:
    with pytest.raises(InputError, match="not a query word") as caught:
        full.plans(word)
    assert accepted in str(caught.value)
