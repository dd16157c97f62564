"""The help of a command that takes a question: its options under what each group of keys is about."""

from __future__ import annotations

import re
from typing import Any

from fleettui.cli.given_once import CommandGivenOnce
from fleettui.reports.question.keys import GROUPS

OWN = "Options of the command"
ABOUT = {key.option: re.split(r"[:;,.]", group.about)[0] for group in GROUPS for key in group.keys}
"""The heading of each option."""


class QuestionCommand(CommandGivenOnce):
    """A command whose help has a heading for each group of a question's keys, and one for all else."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options by their groups."""
        names = dict.fromkeys(("Arguments", *ABOUT.values(), OWN))
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                is_word = parameter.param_type_name == "argument"
                sections["Arguments" if is_word else ABOUT.get(parameter.opts[0], OWN)].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
