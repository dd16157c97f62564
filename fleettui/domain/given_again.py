"""What is said of one value that is given several times: the last alone would hold, and silently."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.errors import InputError


def given_again(where: str, values: Sequence[object]) -> InputError:
    """Return the refusal of several values where one is taken.

    >>> print(given_again("--rate", ("18/s", "36/s")))
    --rate: this takes one value, and 2 are given (got '18/s, 36/s')
      do: leave all but one out
    """
    return InputError(
        f"this takes one value, and {len(values)} are given",
        where=where,
        value=", ".join(map(str, values)),
        remedy="leave all but one out",
    )
