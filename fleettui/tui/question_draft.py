"""The question as it is being edited: texts by key, what differs from the plan it came from, and back to a Question."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fleettui.domain.calibration import Calibration
    from fleettui.domain.fleet import FleetSketch
    from fleettui.domain.scenario import Question
    from fleettui.reports.question.conversion import Values


PLACE = "question"
NOTHING: Mapping[str, str] = MappingProxyType({})
"""The texts of a question that says nothing."""


class Draft(NamedTuple):
    """A question's texts by key, and those of the plan it began with (`parent`, an id; empty where there is none).

    `fit` is that plan's own, which need not be kept here.
    """

    texts: Mapping[str, str] = NOTHING
    base: Mapping[str, str] = NOTHING
    parent: str = ""
    fit: Calibration | None = None

    @classmethod
    def of(cls, question: Question, parent: str = "") -> Draft:
        """Return the draft that changes nothing in `question`, the plan `parent`'s."""
        from fleettui.reports.question import conversion

        texts = conversion.to_texts(question)
        return cls(texts=texts, base=texts, parent=parent, fit=question.fit)

    def set(self, texts: Mapping[str, str]) -> Draft:
        """Return the draft with some keys changed; an empty text takes a key away.

        What contradicts the new texts gives way, as another form of demand does. Raises InputError for a text that
        does not read.
        """
        from fleettui.reports.question import conversion
        from fleettui.reports.question.keys import BY_NAME

        given = {name: text.strip() for name, text in texts.items() if text.strip()}
        for name, text in given.items():
            BY_NAME[name].read(text, name)
        kept = {name: text for name, text in self.texts.items() if name not in texts}
        merged = conversion.merge([conversion.given_at(given, PLACE), conversion.given_at(kept, PLACE)])
        return self._replace(texts={name: one.text for name, one in merged.items()})

    def value(self, name: str) -> str:
        """Return the text of a key: what is set, or its default; empty where there is neither."""
        from fleettui.reports.question import conversion
        from fleettui.reports.question.keys import BY_NAME

        key = BY_NAME[name]
        if name in self.texts:
            return self.texts[name]
        return (
            "" if key.demand and not self._is_form(key.demand) else conversion.default_of(key, self.texts.get("model"))
        )

    def _is_form(self, demand: str) -> bool:
        from fleettui.reports.question.keys import BY_NAME

        return any(BY_NAME[name].demand == demand for name in self.texts)

    @property
    def changed(self) -> tuple[str, ...]:
        """The keys whose text is not that of the plan it began with."""
        if self.texts == self.base:
            return ()
        from fleettui.reports.question.keys import BY_NAME

        typed = (name for name in BY_NAME if self.texts.get(name) != self.base.get(name))
        return tuple(name for name in typed if self._text(self.texts, name) != self._text(self.base, name))

    def beside(self, unsaid: Mapping[str, str]) -> dict[str, str]:
        """Return what it says that a question which says only `unsaid` does not, an empty text where it has none."""
        names = Draft(texts=self.texts, base=Draft().set(unsaid).texts).changed if self.texts else ()
        return {name: self.value(name) for name in names}

    @staticmethod
    def _text(texts: Mapping[str, str], name: str) -> str:
        """Return a key's text as the program would write it, but for a fit's name: 500ms and 0.5s are one."""
        from fleettui.reports.question import conversion
        from fleettui.reports.question.keys import BY_NAME

        key = BY_NAME[name]
        text = texts[name] if name in texts else conversion.default_of(key, texts.get("model"))
        return key.write(key.read(text, name)) if text and name != conversion.FIT else text

    @property
    def left(self) -> Values:
        """What it says of a fleet whose file is silent; raises InputError for a text that does not read."""
        from fleettui.reports.question import left_keys

        return left_keys.read(self.texts, PLACE)

    def question(self, fleet: FleetSketch | None = None) -> Question:
        """Return the question, or what of it concerns a given `fleet`.

        Raises InputError where it lacks something or contradicts itself.
        """
        from fleettui.reports.question import conversion
        from fleettui.reports.question.keys import BY_NAME, FIXED_FLEET_KEYS, WORKLOAD

        asked = BY_NAME.keys() if fleet is None else {key.name for key in (WORKLOAD, *FIXED_FLEET_KEYS)}
        fit = conversion.FIT
        own = {} if self.fit is None or self.texts.get(fit) != self.base.get(fit) else {fit: self.fit}
        texts = {name: text for name, text in self.texts.items() if name in asked and name not in own}
        return conversion.to_question(conversion.parse(conversion.given_at(texts, PLACE)) | own, fleet)
