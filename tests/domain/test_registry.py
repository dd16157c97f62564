"""Registries: members by name and by place."""

from dataclasses import dataclass

import pytest

from fleettui.domain.registry import Registry
from fleettui.errors import UnknownNameError


@dataclass(frozen=True)
class Fruit:
    name: str
    help: str = "sweet"


APPLE, PEAR = Fruit("apple"), Fruit("pear")
FRUITS = Registry("fruit", APPLE, PEAR)


def test_members_are_known_by_name_and_by_place_the_default_first() -> None:
    assert (tuple(FRUITS), len(FRUITS), FRUITS.names, FRUITS.default) == ((APPLE, PEAR), 2, ("apple", "pear"), APPLE)
    assert FRUITS.named("pear") is PEAR
    assert FRUITS.help == "apple (sweet), pear (sweet)"
    assert [FRUITS.code(name) for name in FRUITS.names] == [0, 1]


def test_an_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as refused:
        FRUITS.named("aple", "--fruit")
    assert str(refused.value).splitlines() == [
        "--fruit: unknown fruit (got 'aple')",
        "  did you mean apple?",
        "  accepted: apple, pear",
    ]


def test_two_of_one_name_are_a_bug() -> None:
    with pytest.raises(AssertionError, match="share a name"):
        Registry("fruit", APPLE, Fruit("apple"))
