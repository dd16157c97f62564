"""What the compressor weighs and always keeps, as people type it and as a study's question tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from fleettui.domain.compressor_settings import Settings, Weights
from fleettui.errors import InputError
from fleettui.reports import units

SCORES = tuple(one.name for one in fields(Weights))
WEIGHTS = ",".join(f"{name}={getattr(Weights(), name):g}" for name in SCORES)
"""The default weights as they are typed."""
WEIGHTS_OPTION, FIRST_OPTION, LAST_OPTION = "--weights", "--keep-first", "--keep-last"
_WEIGHT = units.FACTOR._replace(name="weight", accepted="a number, 0 or above: 0.4", zero=True, limit=1e6)
_KEPT = units.COUNT._replace(name="number of sentences", accepted="a whole number, 0 or above: 3", zero=True)


def read_settings(weights: str | None, first: str | None, last: str | None) -> Settings:
    """Return the settings that three texts name, the default where one is None; raises InputError."""
    plain = Settings()
    return Settings(
        weights=plain.weights if weights is None else _weights(weights),
        first=plain.first if first is None else int(_KEPT.parse(first, FIRST_OPTION)),
        last=plain.last if last is None else int(_KEPT.parse(last, LAST_OPTION)),
    )


def settings_words(settings: Settings) -> Iterator[str]:
    """Yield the options that ask for `settings`, none for what is so by default.

    >>> list(settings_words(read_settings("position=1", None, "0")))
    ['--weights position=1', '--keep-last 0']
    """
    plain = Settings()
    told = ((name, getattr(settings.weights, name), getattr(plain.weights, name)) for name in SCORES)
    changed = [f"{name}={_WEIGHT.write(value)}" for name, value, usual in told if value != usual]
    if changed:
        yield f"{WEIGHTS_OPTION} {','.join(changed)}"
    if settings.first != plain.first:
        yield f"{FIRST_OPTION} {settings.first}"
    if settings.last != plain.last:
        yield f"{LAST_OPTION} {settings.last}"


def _weights(text: str) -> Weights:
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name not in SCORES or name in found:
            raise InputError(
                "this is no weight of a sentence's score, or one that is given twice",
                where=WEIGHTS_OPTION,
                value=part,
                accepted=f"one or more of {', '.join(SCORES)}: {WEIGHTS}",
            )
        found[name] = _WEIGHT.parse(value, WEIGHTS_OPTION)
    return replace(Weights(), **found)
