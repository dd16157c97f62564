"""What is shown of a text that somebody else wrote."""

import json

import pytest

from fleettui.errors import InputError
from fleettui.visible import check_text, visible


@pytest.mark.parametrize("sign", ["\x1b[2J", "\x07", "\x9b31m", "\x7f", "\u202e", "\u2066", "a\rb", "\ud800"])
def test_what_a_terminal_would_obey_is_written_out(sign: str) -> None:
    shown = visible(f"<{sign}>")
    assert shown.isprintable()
    assert json.loads(f'"{shown}"') == f"<{sign}>"


def test_all_else_stays() -> None:
    text = "2 × H100\tλ = 1\r\n日本 €\n"
    assert visible(text) == text


def test_halves_of_characters_are_no_text() -> None:
    check_text("2 × H100\x1b")
    with pytest.raises(InputError, match=r"(?s)here: this is no text.*accepted: UTF-8"):
        check_text("a\udc9b", "here")
