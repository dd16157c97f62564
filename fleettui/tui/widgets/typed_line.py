"""A line to type in, whose words are selected at first: typing replaces them, backspace corrects them."""

from __future__ import annotations

from textual.widgets import Input
from textual.widgets.input import Selection


class TypedLine(Input):
    """An input in which backspace takes one letter, even of a line that is selected as a whole."""

    def action_delete_left(self) -> None:
        """Delete the letter before the cursor, or what is selected where that is less than the line."""
        if len(self.selected_text) == len(self.value):
            self.selection = Selection.cursor(len(self.value))
        super().action_delete_left()
