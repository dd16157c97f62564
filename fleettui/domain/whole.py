"""Whole numbers as they are typed."""

LONGEST = 18
"""Digits that a number may have: no count has as many, and Python reads no more than some thousands."""


def whole(text: str) -> int | None:
    """Return the whole number that plain digits write, None for any other text and for more digits than LONGEST.

    >>> whole(" 24 "), whole("-1"), whole("9" * 5000)
    (24, None, None)
    """
    plain = text.strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= LONGEST else None
