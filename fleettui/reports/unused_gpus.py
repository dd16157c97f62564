"""GPUs that no fleet of a plan may have though they are named, and prices and stocks of such, which change nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from fleettui.domain.path_or_name import GPU_FILE, is_path
from fleettui.domain.scenario import EVERY_GPU, Question
from fleettui.hardware import catalog
from fleettui.hardware.fit import lacks_for

FEW = 2
"""GPU types that are named; of more it is said how many there are."""


def unused(questions: Sequence[Question], stocks: Iterable[str], used: Collection[str]) -> Iterator[str]:
    """Yield a line for the GPUs that questions name, one for their typed prices and one for the `stocks` of GPUs, of
    those that are not among the `used`; those that are left out for something else have lines of their own.

    The questions name the same GPUs and prices. The prices of a list are those of all that it offers: nothing is said
    of them.
    """
    question = questions[0]
    priced = () if question.price_terms else dict(question.prices)
    said = [name for name in question.gpus if name != EVERY_GPU and not is_path(name, GPU_FILE)]
    none = ("no effect", "no fleet may have it")
    options = (("gpu", said, ("left out", "no replica fits; alone it says why")), ("price", priced, none))
    for option, named, (what, otherwise) in (*options, ("max-gpus", stocks, none)):
        by_reason: dict[str, list[str]] = {}
        for name in named:
            if name not in used:
                by_reason.setdefault(_lacking(name, questions) or otherwise, []).append(name)
        for reason, names in by_reason.items():
            more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
            yield f"--{option} {', '.join(names[:FEW])}{more}: {what}, {reason}"


def _lacking(name: str, questions: Sequence[Question]) -> str:
    """Return what keeps a GPU from serving all of the questions, empty where it may be its memory, or not the same."""
    if name not in catalog.gpu_names():
        return ""
    found = {lacks_for(catalog.gpu(name), catalog.model(one.model), one) for one in questions}
    return found.pop() if len(found) == 1 else ""
