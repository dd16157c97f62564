"""Today's fleet in six lines, the traffic that it gets and the limits that it is held to: then it is simulated."""

from __future__ import annotations

from collections.abc import Mapping

from textual.widgets import Input

from fleettui.domain.fleet import FleetSketch
from fleettui.errors import InputError
from fleettui.planning.fleet_files import fleet_in, read_fleet
from fleettui.reports.question import also_line, five_lines, left_keys
from fleettui.reports.question.also_line import ALSO
from fleettui.reports.question.fleet_phrase import ACCEPTED, fleet_text
from fleettui.reports.question.keys import LEFT_KEYS, OF_GIVEN
from fleettui.tui.modals.ask import Ask
from fleettui.tui.prompt_values import existing
from fleettui.tui.question_draft import NOTHING

FLEET = "fleet"
FILES = (".yaml", ".yml", ".json")


class Today(Ask):
    """Returns the texts of the question's keys and, as `fleet`, what was typed of the fleet; None after escape.

    `fleet` is what stands in its line at first.
    """

    TITLE = "Today's fleet: what does it hold? Typing replaces a line"
    LINES = (FLEET, "lengths", "demand", "model", "slo", ALSO)
    FILES = (*Ask.FILES, FLEET)
    SEVERAL = False
    ALSO = also_line.line_beside(five_lines.PHRASES, {*OF_GIVEN, *(key.name for key in LEFT_KEYS)})

    def __init__(self, texts: Mapping[str, str], fleet: str = "", *, also: Mapping[str, str] = NOTHING) -> None:
        super().__init__(texts, also=also)
        self._begun[FLEET] = fleet

    def phrase(self, name: str) -> five_lines.Phrase:
        """Return a line; that of the fleet is no line of a question."""
        return PHRASE if name == FLEET else super().phrase(name)

    def ends(self) -> str:
        """Say what enter does in the last line."""
        return "simulates it"

    def _read(self, line: Input) -> dict[str, str]:
        if line.id != f"ask-{FLEET}":
            return super()._read(line)
        model = self.query_one("#ask-model", Input).value
        sketch(line.value, five_lines.read("model", model))
        return {FLEET: line.value.strip()}


def is_file(text: str) -> bool:
    """Return whether a fleet is named by its file."""
    return text.strip().endswith(FILES)


def sketch(text: str, texts: Mapping[str, str]) -> FleetSketch:
    """Return the fleet that a line says, or the file that it names, else as the question's `texts` have it.

    Raises InputError.
    """
    if not text.strip():
        raise InputError("this line is empty", where=FLEET, accepted=ACCEPTED)
    asked = left_keys.read(texts, FLEET)
    return read_fleet(existing(text), asked) if is_file(text) else fleet_in(fleet_text(text), FLEET, asked)


PHRASE = five_lines.Phrase(
    name=FLEET,
    label="fleet",
    accepted=ACCEPTED,
    keys=(FLEET,),
    reader=lambda text, _: {FLEET: text},
    writer=lambda texts: texts.get(FLEET, ""),
)
