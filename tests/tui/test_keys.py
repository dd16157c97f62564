"""The one table of keys: nothing clashes, everything is answered, every footer fits."""

import ast
import inspect
import os
import re
from itertools import combinations
from pathlib import Path

import pytest
from textual.actions import parse
from textual.binding import Binding
from textual.keys import Keys

from fleettui.tui import keys, tabs
from fleettui.tui.actions import ACTIONS
from fleettui.tui.app import FleetApp
from fleettui.tui.keys import KEYS, VIEW_KEYS, Shortcut, footer, keys_of, markdown
from fleettui.tui.tabs.view import View
from fleettui.tui.widgets.paged_table import PagedTable
from fleettui.tui.widgets.plot import Plot
from tests.kept_text import VARIABLE

NAMES = tuple(view.name for view in tabs.VIEWS)
README = Path(__file__).parents[2] / "README.md"
MOVES = {
    *("j", "k", "h", "l", "g", "G", "up", "down", "left", "right", "home", "end"),
    *("pageup", "pagedown", "ctrl+d", "ctrl+u", "enter", "tab"),
}
"""What a widget may take for moving about in it; no key of the table means anything else by them."""
SPECIAL = {
    "space",
    "slash",
    "colon",
    "comma",
    "escape",
    "question_mark",
    "left_square_bracket",
    "right_square_bracket",
    "equals_sign",
}


def names(key: Shortcut) -> set[str]:
    return set(key.keys.split(","))


def kind(name: str) -> type[View]:
    return type(tabs.make(name))


@pytest.mark.parametrize("view", NAMES)
def test_no_two_keys_of_a_view_are_the_same(view: str) -> None:
    known = (*VIEW_KEYS, *keys_of(view))
    for one, other in combinations(known, 2):
        assert not names(one) & names(other), f"{one.verb} and {other.verb} in view {view}"


def test_verbs_and_ids_are_unique_and_a_key_means_one_thing_everywhere() -> None:
    known = (*VIEW_KEYS, *KEYS)
    assert len({key.verb for key in known}) == len(known)
    assert len({key.id for key in known}) == len(known)
    taken = [name for key in known for name in names(key)]
    assert len(set(taken)) == len(taken), "one meaning per key in every view"


@pytest.mark.parametrize("widget", [PagedTable, Plot])
def test_widgets_take_only_what_moves_about_in_them(widget: type[PagedTable] | type[Plot]) -> None:
    taken = {one.key for binding in widget.BINDINGS for one in Binding.make_bindings([binding])}
    assert taken <= MOVES
    assert not taken & {name for key in (*VIEW_KEYS, *KEYS) for name in names(key)}


@pytest.mark.parametrize("view", NAMES)
def test_a_view_takes_no_key_of_its_own(view: str) -> None:
    taken = {one.key for one in Binding.make_bindings(kind(view).BINDINGS)}
    assert not taken & {name for key in (*VIEW_KEYS, *KEYS) for name in names(key)}


@pytest.mark.parametrize("key", [*VIEW_KEYS, *KEYS], ids=lambda key: key.verb)
def test_every_key_is_one_that_a_terminal_sends(key: Shortcut) -> None:
    known = {one.value for one in Keys} | SPECIAL
    assert all(len(name) == 1 or name in known for name in names(key))
    assert key in VIEW_KEYS or any(key in keys_of(view) for view in NAMES)


def test_every_binding_is_an_action_that_parses() -> None:
    bindings = [one for one in FleetApp.BINDINGS if isinstance(one, Binding)]
    assert len(bindings) == len(VIEW_KEYS) + len(KEYS)
    for binding, key in zip(bindings, (*VIEW_KEYS, *KEYS), strict=True):
        namespace, action, parameters = parse(binding.action)
        assert (namespace, action, parameters) == ("", "do", (key.verb,))
        assert ast.literal_eval(repr(parameters)) == (key.verb,)
        assert binding.id == key.id


@pytest.mark.parametrize("view", NAMES)
def test_every_verb_is_answered_wherever_it_works(view: str) -> None:
    answered = set(ACTIONS) | {name.removeprefix("do_") for name in dir(kind(view)) if name.startswith("do_")}
    assert {key.verb for key in keys_of(view)} <= answered


@pytest.mark.parametrize("view", NAMES)
def test_a_view_answers_no_verb_that_has_no_key_there(view: str) -> None:
    verbs = {key.verb for key in keys_of(view)}
    own = {name.removeprefix("do_") for name, _ in inspect.getmembers(kind(view), callable) if name.startswith("do_")}
    assert own <= verbs


def test_no_action_is_without_a_key() -> None:
    assert set(ACTIONS) <= {key.verb for key in KEYS}


@pytest.mark.parametrize("width", [80, 100, 200, 40, 10])
@pytest.mark.parametrize("view", NAMES)
def test_a_footer_fits_and_ends_with_the_last_three(view: str, width: int) -> None:
    found = footer(view, width)
    assert len(found) <= width
    last = ": cmd  ? help  q quit"
    assert found.endswith(last) or width < len(last)


def test_a_wide_footer_holds_all_and_leaves_out_what_can_do_nothing() -> None:
    labels = [key.label for key in keys_of("fleet") if key.label]
    assert all(f" {label}" in footer("fleet", 400) for label in labels)
    assert "x cancel" in footer("fleet", 400)
    assert "x cancel" not in footer("fleet", 400, frozenset({"cancel"}))


def test_a_footer_is_cut_between_keys() -> None:
    entries = footer("fleet", 80).split("  ")
    whole = footer("fleet", 400).split("  ")
    assert [entry for entry in entries if entry not in whole] == []
    assert entries[:-3] == whole[: len(entries) - 3]


@pytest.mark.parametrize("key", [*VIEW_KEYS, *KEYS], ids=lambda key: key.verb)
def test_the_help_is_part_of_a_sentence_that_fits_a_line(key: Shortcut) -> None:
    assert 5 < len(key.help) <= 66
    assert not key.help.endswith(".")
    assert key.help[0].islower()
    assert key.label == key.label.strip()
    assert len(key.label) <= 8


def test_signs_stand_for_the_names_of_keys() -> None:
    shown = {key.verb: key.shown for key in KEYS}
    assert [shown[verb] for verb in ("help", "commands", "mark", "back", "previous", "next", "filter")] == [
        *("?", ":", "spc", "esc", "[", "]", "/")
    ]


def test_bindings_are_of_the_one_table() -> None:
    assert keys.bindings() == FleetApp.BINDINGS


def test_readme_has_the_table_of_keys() -> None:
    text = README.read_text("utf-8")
    if os.environ.get(VARIABLE) == "1":
        text = re.sub(r"\| key \| views .*?\n\n", lambda _: f"{markdown()}\n\n", text, count=1, flags=re.DOTALL)
        README.write_text(text, "utf-8")
    assert markdown() in text
