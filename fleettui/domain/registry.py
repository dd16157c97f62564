"""A registry: the members of a folder in one tuple, each known by its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from fleettui.errors import UnknownNameError


class Member(Protocol):
    """What stands in a registry."""

    @property
    def name(self) -> str:
        """What people type."""

    @property
    def help(self) -> str:
        """What that means, in a few words."""


M = TypeVar("M", bound=Member)


class Registry(Generic[M]):
    """Members of one kind in a fixed order, the default first; two of one name are a bug, AssertionError.

    `names` are those of the members, in order.
    """

    __slots__ = ("_members", "kind", "names")

    def __init__(self, kind: str, *members: M) -> None:
        self.kind, self._members, self.names = kind, members, tuple(one.name for one in members)
        assert len(set(self.names)) == len(members), f"two of kind {kind} share a name: {self.names}"

    def __iter__(self) -> Iterator[M]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    @property
    def help(self) -> str:
        """Every name with what it means."""
        return ", ".join(f"{one.name} ({one.help})" for one in self)

    @property
    def default(self) -> M:
        """The first member."""
        return self._members[0]

    def named(self, name: str, where: str | None = None) -> M:
        """Return the member called `name`; raises UnknownNameError, which lists the known ones."""
        return self._members[self.code(name, where)]

    def code(self, name: str, where: str | None = None) -> int:
        """Return the place of the member called `name`, by which compiled code knows it; raises UnknownNameError."""
        if name not in self.names:
            raise UnknownNameError(self.kind, name, self.names, where=where)
        return self.names.index(name)
