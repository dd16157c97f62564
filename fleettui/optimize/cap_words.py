"""What a cap on each GPU's power does to an answer, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fleettui.domain.hardware import Profile
from fleettui.domain.power_law import PowerLaw


def capped_words(profiles: Iterable[Profile]) -> tuple[str, ...]:
    """Return a sentence for each kind of replica whose GPUs are capped: how much longer its steps are."""
    return tuple(dict.fromkeys(_sentences(profiles)))


def _sentences(profiles: Iterable[Profile]) -> Iterator[str]:
    for one in profiles:
        law = one.power
        if isinstance(law, PowerLaw) and law.cap is not None:
            slower = f"prompts take {law.cap.prompts:.2f} times as long, decodes {law.cap.decodes:.2f} times"
            beyond = "; below half of its limit no public run shows this: extrapolated" if law.extrapolated else ""
            yield f"{one.gpu} capped at {law.cap.watts:g} of {law.limit:g} W: {slower}{beyond}"
