"""Commands that refuse an option of one value that is given twice: else the last alone would hold, and silently.

An option that may hold several values is declared so, and gets all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup

from fleettui.errors import InputError

Parsed = tuple[dict[str, Any], list[str], list[Any]]


class CommandGivenOnce(TyperCommand):
    """A command each of whose options of one value is given once."""

    def make_parser(self, ctx: Any) -> Any:
        """Return the library's parser, which refuses what is given twice; raises InputError."""
        return _refusing(super().make_parser(ctx), self.get_params(ctx), ctx)


class GroupGivenOnce(TyperGroup):
    """A group of commands each of whose own options of one value is given once."""

    def make_parser(self, ctx: Any) -> Any:
        """Return the library's parser, which refuses what is given twice; raises InputError."""
        return _refusing(super().make_parser(ctx), self.get_params(ctx), ctx)


def _refusing(parser: Any, parameters: Iterable[Any], context: Any) -> Any:
    """Return `parser` so that it collects all values of the options that hold one, and refuses several of them."""
    single = {one.name: one for one in parameters if one.param_type_name == "option" and not one.multiple}
    for one in single.values():
        _collect(parser, one)
    read: Callable[[list[str]], Parsed] = parser.parse_args

    def parse_args(args: list[str]) -> Parsed:
        values, words, order = read(args)
        kept = {name: _the_one(single[name], found) for name, found in values.items() if name in single}
        return values | kept, words, order

    if not context.resilient_parsing:
        vars(parser)["parse_args"] = parse_args
    return parser


def _collect(parser: Any, option: Any) -> None:
    """Let the parser keep every value of an option in a row, in place of the last."""
    if not option.is_flag:
        parser.add_option(obj=option, opts=option.opts, dest=option.name, action="append", nargs=option.nargs)
        return
    for names, meant in ((option.opts, True), (option.secondary_opts, False)):
        if names:
            parser.add_option(obj=option, opts=names, dest=option.name, action="append_const", const=meant)


def _the_one(option: Any, found: list[Any]) -> Any:
    """Return the one value that was found; raises InputError where there are more. A flag may be said again."""
    if len(found) == 1 or (option.is_flag and len(set(found)) == 1):
        return found[0]
    from fleettui.domain.given_again import given_again

    name = max(option.opts, key=len)
    if option.is_flag:
        raise InputError(f"{name} and {option.secondary_opts[0]} are both given", remedy="leave one of them out")
    raise given_again(name, found)
