"""`python -m tests.evidence.expert_load`: the law of a load of experts beside kernels that were measured with one.

Kernels of experts were measured evenly chosen and by a power law of 1.2: every expert's popularity is drawn from a
density that falls as x^-1.2 between 1 and 0.8 times the tokens of the step, anew for each point, and the rank that is
timed is the fullest. The law has the first, and says what the second took: the ratios are of that to what was measured.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from fleettui.domain.expert_load import measured
from fleettui.hardware import catalog
from fleettui.hardware.kernel_search import EXPERT_KEYS, EXPERTS, Kernels
from fleettui.hardware.kernel_tables import kernel_file
from fleettui.hardware.operators import ExpertShape, Floats
from tests.evidence.common import say

POWER, DRAWS, EVERY = 1.2, 2, 8
"""The law's power, the draws for a point, and of how many shapes one is taken."""
TOKENS, RANKS = (64, 256, 1024, 4096), (1, 2, 4, 8)
SERVERS = tuple(product(("h100", "h200", "b200"), ("vllm", "trtllm", "sglang")))


def popularity(tokens: int, count: int, rng: np.random.Generator) -> Floats:
    """Return the popularity of so many experts as it was drawn for a step of so many tokens."""
    low, high = 1.0, (0.8 * tokens) ** (1.0 - POWER)
    found: Floats = (low + (high - low) * rng.random(count)) ** (1.0 / (1.0 - POWER))
    return found


def ratios(gpu: str, engine: str, ranks: int, rng: np.random.Generator) -> Floats:
    """Return the law's time over the measured one, of shape (tables, TOKENS), for the shapes of one server."""
    file, kernels = kernel_file(gpu, engine), Kernels(catalog.gpu(gpu), engine)
    assert file is not None, "every server here has kernels"
    rows = []
    for table in [one for one in file.tables[EXPERTS] if one.key["ranks"] == ranks][::EVERY]:
        shape, form = ExpertShape(**{name: table.key[name] for name in EXPERT_KEYS}), table.key["form"]
        row = []
        for tokens in TOKENS:
            drawn = [measured(popularity(tokens, shape.count, rng).tolist(), None) for _ in range(DRAWS)]
            law = np.mean([float(kernels.experts(tokens, form, shape, one)) for one in drawn])
            row.append(law / float(kernels.experts(tokens, form, shape)))
        rows.append(row)
    return np.array(rows)


def main() -> None:
    """Print the median and the middle 80 % of the ratios by ranks and tokens of a step, over all servers."""
    rng = np.random.default_rng(1)
    for ranks in RANKS:
        found = np.concatenate([ratios(gpu, engine, ranks, rng) for gpu, engine in SERVERS])
        low, middle, high = np.quantile(found, (0.1, 0.5, 0.9), axis=0)
        told = (
            f"{tokens:,}: {middle[place]:.2f} ({low[place]:.2f} to {high[place]:.2f})"
            for place, tokens in enumerate(TOKENS)
        )
        say(f"{ranks} ranks, {len(found)} shapes, tokens a step {'; '.join(told)}")


if __name__ == "__main__":
    main()
