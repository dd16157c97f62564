"""A new question in six lines: enter goes from one to the next, the last makes the question.

Five have a default, and the sixth takes any further key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from fleettui.domain.joint import JointQuestion
from fleettui.errors import FleettuiError, InputError
from fleettui.planning.asked_together import asked_together
from fleettui.reports.in_app import refusal_in_app
from fleettui.reports.question import also_line, five_lines
from fleettui.reports.question.also_line import ALSO, SETS
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.several_lines import parts_of, together
from fleettui.tui.completion import complete, words_of, words_of_keys
from fleettui.tui.modals.pick import SIDES, Pick
from fleettui.tui.offers import offer
from fleettui.tui.prompt_values import check, check_known
from fleettui.tui.question_draft import NOTHING
from fleettui.tui.widgets import frame
from fleettui.tui.widgets.typed_line import TypedLine

TITLE = "A new question. Typing replaces a line, backspace corrects it"
SEVERAL = "several models: a + b here, then one demand, lengths and SLO for all or one of each; planned at once"
LISTED = {"model": "model", "gpus": "gpu"}
"""The key that is chosen from a list in a line, by the line."""
BEFORE, TYPED, DEFAULT = "as before", "as typed", "default"
"""What is said of a line that was not typed: it is that of the question on screen, of the several models that were
asked for last, or a guess of the program."""
FILES = ("lengths", "model", "gpus", ALSO)
"""The lines in which a file may be named."""
LINES = ("lengths", "demand", "model", "gpus", "slo", ALSO)
"""The lines, in the order in which they are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What the lines ask of several models: the question of all, and the lines as they were typed."""

    question: JointQuestion
    lines: Mapping[str, str]


class Ask(ModalScreen[dict[str, str] | Together | None]):
    """Returns the texts of the question's keys, what is asked of several models, or None after escape.

    `also` are texts that stand in the line of further keys. `lines` stand in place of what the texts make of them, such
    as those in which several models were asked for.
    """

    DEFAULT_CSS = """
    Ask {
        align: center bottom;
        background: $background 0%;
        #ask { height: auto; max-height: 100%; background: $surface; border: ascii $primary; padding: 0 1; }
        .ask-line { height: 1; }
        .ask-label { width: 20; }
        .ask-line Input { width: 1fr; }
        #ask-help { height: auto; min-height: 2; }
        #ask-keys { dock: bottom; }
        .refused { color: $error; }
        ToastRack { dock: top; align: right top; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "back"),
        Binding("up", "step(-1)", "line before", priority=True),
        Binding("down", "step(1)", "next line", priority=True),
        Binding("tab", "list", "list", priority=True),
    ]

    TITLE: ClassVar[str | None] = TITLE
    LINES: ClassVar[tuple[str, ...]] = LINES
    FILES: ClassVar[tuple[str, ...]] = FILES

    SEVERAL: ClassVar[bool] = True
    """Whether several models may stand in the lines."""

    ALSO: ClassVar[five_lines.Phrase] = also_line.line_beside(five_lines.PHRASES)
    """The line of further keys."""

    def __init__(
        self, texts: Mapping[str, str], lines: Mapping[str, str] = NOTHING, *, also: Mapping[str, str] = NOTHING
    ) -> None:
        super().__init__()
        self._texts, self._also = texts, also
        self._lasting = lines
        self._begun = {name: self.phrase(name).writer(self._own(name)) for name in self.LINES}
        self._begun |= self._lasting
        self._refusal = ""

    def phrase(self, name: str) -> five_lines.Phrase:
        """Return a line by its name."""
        return self.ALSO if name == ALSO else five_lines.phrase_of(name)

    def _own(self, name: str) -> dict[str, str]:
        """Return the texts of a line's own keys."""
        keys = self.phrase(name).keys
        if name == ALSO:
            return {key: text for key, text in self._also.items() if key in keys}
        return {key: self._texts[key] for key in keys if self._texts.get(key)}

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        with Vertical(id="ask"):
            yield Static(self.TITLE or "", id="ask-title", markup=False)
            for name in self.LINES:
                with Horizontal(classes="ask-line"):
                    yield Static(self._label(name), id=f"ask-label-{name}", classes="ask-label", markup=False)
                    yield TypedLine(self._begun[name], id=f"ask-{name}", compact=True)
            yield Static("", id="ask-help", markup=False)
            yield frame.Line(id="ask-keys")

    def _label(self, name: str, value: str | None = None) -> str:
        """Return a line's label, with where its text comes from as long as nobody typed another."""
        phrase = self.phrase(name)
        if (value is not None and value != self._begun[name]) or not self._begun[name]:
            return phrase.label
        before = BEFORE if self._own(name) or name not in LINES else DEFAULT
        return f"{phrase.label:<8}{TYPED if name in self._lasting else before}"

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take the mark off a line that is typed."""
        name = (event.input.id or "").removeprefix("ask-")
        self.query_one(f"#ask-label-{name}", Static).update(self._label(name, event.value))

    def on_mount(self) -> None:
        """Begin with the first line."""
        self._lines()[0].focus()

    def on_descendant_focus(self) -> None:
        """Say what may be typed in the line that has the focus."""
        focused = self.focused
        listed = "  tab completes, then lists" if self._line_name() in LISTED else "  tab completes"
        enter = self.ends() if focused is self._lines()[-1] else "next line"
        self.query_one("#ask-keys", frame.Line).show(frame.words(f"enter {enter}{listed}  up down move  esc back"))
        if self._refusal:
            self._tell(self._refusal, refused=True)
            self._refusal = ""
        elif isinstance(focused, Input) and focused.id is not None:
            self._tell(self._accepted(), refused=False)

    def ends(self) -> str:
        """Say what enter does in the last line."""
        several = any(len(parts_of((line.id or "").removeprefix("ask-"), line.value)) > 1 for line in self._lines())
        return "plans all of them" if several and self.SEVERAL else "asks it, r then plans"

    def _accepted(self) -> str:
        """Return what may be typed in the line that has the focus."""
        name = self._line_name()
        several = f"\n{SEVERAL}" if self.SEVERAL and name == "model" else ""
        return self.phrase(name).accepted + several

    def _hint(self, typed: str) -> str:
        """Return what the key takes that ends a line of further keys, empty for anything else."""
        *_, last = typed.split(" ")
        key = BY_NAME.get(last.removesuffix(SETS)) if self._line_name() == ALSO else None
        return "" if key is None else key.hint

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next line if this one reads; after the last the question is made."""
        if not self._reads(event.input):
            return
        lines = self._lines()
        place = lines.index(event.input)
        if place + 1 < len(lines):
            lines[place + 1].focus()
        else:
            self._finish()

    def _reads(self, line: Input) -> bool:
        """Return whether a line reads; where it does not that is told, and what is typed next replaces it."""
        try:
            self._read(line)
        except FleettuiError as error:
            self._tell(f"x {refusal_in_app(error)}", refused=True)
            line.select_all()
            return False
        return True

    def _finish(self) -> None:
        texts: dict[str, str] = {}
        for line in self._lines():
            try:
                texts |= self._read(line)
            except FleettuiError as error:
                self._refuse(line, error)
                return
        lines = {(line.id or "").removeprefix("ask-"): line.value for line in self._lines()}
        try:
            several = together(lines) if self.SEVERAL else None
            question = None if several is None else asked_together(several)
        except FleettuiError as error:
            where = error.where if isinstance(error, InputError) else None
            name = next((one for one in self.LINES if self.phrase(one).label == where), "model")
            self._refuse(self.query_one(f"#ask-{name}", Input), error)
            return
        self.dismiss(texts if question is None else Together(question=question, lines=lines))

    def _refuse(self, line: Input, error: FleettuiError) -> None:
        """Go to a line and say why it does not do."""
        self._refusal = f"x {refusal_in_app(error)}"
        if line.has_focus:
            self.on_descendant_focus()
        else:
            line.focus()

    def _line_name(self) -> str:
        """Return the name of the line that has the focus, empty where none has."""
        focused = self.focused
        return (focused.id or "").removeprefix("ask-") if isinstance(focused, Input) else ""

    def action_list(self) -> None:
        """Complete the last word; where it is whole choose from a list, if there is one, else go to the next line.

        A line that does not read is not left so, nor with enter.
        """
        line, name = self.focused, self._line_name()
        if isinstance(line, Input) and name and line.selection.is_empty:
            found = complete(line.value, self._words(name, line.value), files=name in self.FILES)
            if found is not None:
                line.value = found.text
                line.cursor_position = len(line.value)
                self._tell(found.told or self._hint(found.text) or self._accepted(), refused=False)
                return
        if name not in LISTED or not isinstance(line, Input):
            if not isinstance(line, Input) or self._reads(line):
                self.action_step(1)
            return
        key = BY_NAME[LISTED[name]]
        *others, last = parts_of(name, line.value)
        try:
            texts = five_lines.read(name, last)
        except FleettuiError:
            texts = {}

        def taken(text: str | None) -> None:
            if text is not None:
                line.value = " + ".join([*others, five_lines.write(name, {**texts, key.name: text})])
                line.cursor_position = len(line.value)

        offered = offer(key.name, lambda name: texts.get(name, ""), self.size.width - SIDES)
        assert offered is not None, "every such key has a list"
        label = self.phrase(name).label
        self.app.push_screen(Pick(label, offered, texts.get(key.name, ""), key.hint, partial(check, key)), taken)

    def _words(self, name: str, typed: str) -> tuple[str, ...]:
        """Return the words that may end what is `typed` in a line."""
        return words_of_keys(self.ALSO.keys, typed) if name == ALSO else words_of(name)

    def _read(self, line: Input) -> dict[str, str]:
        assert line.id is not None, "every line has its name"
        name = line.id.removeprefix("ask-")
        if name == ALSO:
            return also_line.read(line.value, self.ALSO)
        found: dict[str, str] = {}
        for part in parts_of(name, line.value) if self.SEVERAL else (line.value,):
            found = five_lines.read(name, part)
            check_known(found)
        return found

    def _lines(self) -> list[Input]:
        return list(self.query(Input))

    def _tell(self, words: str, *, refused: bool) -> None:
        help_line = self.query_one("#ask-help", Static)
        help_line.update(words)
        help_line.set_class(refused, "refused")

    def action_step(self, by: int) -> None:
        """Go to the line before or after."""
        lines = self._lines()
        if self.focused in lines:
            # At once: a key that follows closely must find the focus there.
            self.set_focus(lines[(lines.index(self.focused) + by) % len(lines)])
