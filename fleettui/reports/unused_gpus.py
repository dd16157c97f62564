"""GPUs that no fleet of a plan may have though they are named, and prices and stocks of such, which change nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from fleettui.domain.path_or_name import GPU_FILE, is_path
from fleettui.domain.scenario import EVERY_GPU, Question

FEW = 2
"""GPU types that are named; of more it is said how many there are."""


def unused(question: Question, stocks: Iterable[str], used: Collection[str]) -> Iterator[str]:
    """Yield a line for the GPUs that a question names, one for its typed prices and one for the `stocks` of GPUs, of
    those that are not among the `used`.

    The prices of a list are those of all that it offers: nothing is said of them.
    """
    priced = () if question.price_terms else dict(question.prices)
    none = "no effect, no fleet may have it"
    said = [name for name in question.gpus if name != EVERY_GPU and not is_path(name, GPU_FILE)]
    options = (("gpu", said, "left out, no replica fits; alone it says why"), ("price", priced, none))
    for option, named, what in (*options, ("max-gpus", stocks, none)):
        names = [name for name in named if name not in used]
        if names:
            more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
            yield f"--{option} {', '.join(names[:FEW])}{more}: {what}"
