"""One part of a question: what it is called, how it is read and what it means.

A key's name is its option without the dashes and its key in a question file. `field` is where it lives in a
`Question`, through `demand` or `slo` where it has a dot.
"""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.reports.question.text_forms import Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One part of a question: name, field, form, an example of its text, and one line of help.

    `default` is the text of the default, empty where there is none; `demand` the demand form that it belongs to.
    """

    name: str
    field: str
    form: Form
    example: str
    help: str
    group: str
    default: str = ""
    demand: str = ""

    @property
    def option(self) -> str:
        """The option on the command line."""
        return f"--{self.name}"

    def is_default(self, text: str) -> bool:
        """Return whether a text says what the key's default says."""
        return bool(self.default) and self.form.write(self.form.read(self.default, None)) == text
