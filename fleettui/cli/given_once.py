"""Commands that refuse an option of one value that is given twice: else the last alone would hold, and silently.

An option that may hold several values is declared so, and gets all of them.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption

from fleettui.errors import InputError


class _Option(TyperOption):
    """An option that reads what it is given; where nothing is, the library makes ready what reads, half a ms each."""

    def process_value(self, ctx: Any, value: Any) -> Any:
        """Return what the library makes of a value, and of none, where one may be left out, None."""
        return None if value is None and not self.required else super().process_value(ctx, value)


class CommandGivenOnce(TyperCommand):
    """A command each of whose options of one value is given once."""

    def __init__(self, *words: Any, **said: Any) -> None:
        super().__init__(*words, **said)
        for one in self.params:
            if isinstance(one, TyperOption):
                one.__class__ = _Option

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a command's words as the library does; raises InputError for what is given twice."""
        _refuse_twice(self, ctx, args)
        return super().parse_args(ctx, args)


class GroupGivenOnce(TyperGroup):
    """A group of commands each of whose own options of one value is given once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a group's words as the library does; raises InputError for what is given twice."""
        _refuse_twice(self, ctx, args)
        return super().parse_args(ctx, args)


def _refuse_twice(command: Any, context: Any, words: list[str]) -> None:
    """Read the words with a parser of their own, which keeps all values of an option that holds one; refuse several."""
    if context.resilient_parsing:
        return
    single = {
        one.name: one for one in command.get_params(context) if one.param_type_name == "option" and not one.multiple
    }
    parser = command.make_parser(context)
    for one in single.values():
        _collect(parser, one)
    values, _, _ = parser.parse_args(list(words))
    for name, found in values.items():
        if name in single:
            _refuse_several(single[name], found)


def _collect(parser: Any, option: Any) -> None:
    """Let the parser keep every value of an option in a row, in place of the last."""
    if not option.is_flag:
        parser.add_option(obj=option, opts=option.opts, dest=option.name, action="append", nargs=option.nargs)
        return
    for names, meant in ((option.opts, True), (option.secondary_opts, False)):
        if names:
            parser.add_option(obj=option, opts=names, dest=option.name, action="append_const", const=meant)


def _refuse_several(option: Any, found: list[Any]) -> None:
    """Raise InputError where an option has more than one value. A flag may be said again."""
    if len(found) == 1 or (option.is_flag and len(set(found)) == 1):
        return
    from fleettui.domain.given_again import given_again

    name = max(option.opts, key=len)
    if option.is_flag:
        raise InputError(f"{name} and {option.secondary_opts[0]} are both given", remedy="leave one of them out")
    raise given_again(name, found)
