"""What requests ask of an engine together, against sums over them one by one."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.speculation import Speculation, speculation
from fleettui.simulation.draws import Draws
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.work_counts import Counts, counts
from tests.simulation.samples import engine, requests

COUNT = 200


def drawn(rng: np.random.Generator) -> Draws:
    prompt, output = rng.integers(1, 90_000, COUNT), rng.integers(1, 500, COUNT)
    cached = (rng.random(COUNT) * prompt).astype(int)
    return requests(*zip(prompt.tolist(), output.tolist(), strict=True), cached=cached.tolist())


def with_prefixes(draws: Draws, rng: np.random.Generator) -> Draws:
    own = Prefixes(
        size=16,
        offsets=np.zeros(COUNT, np.int64),
        known=rng.integers(0, 6_000, COUNT).astype(np.int32),
        runs=np.zeros(1, np.int32),
        lengths=np.array([6_000], np.int32),
    )
    return replace(draws, prefixes=own)


def steps_of(output: int, drafting: Speculation) -> int:
    """Return the fewest steps that bring all of an output but its first token."""
    if drafting.sampled or not drafting.drafts:
        return -(-(output - 1) // drafting.width)
    gain, per = engine(drafting=drafting).gain
    return next(steps for steps in range(output) if (per - 1 + steps * gain) // per >= output - 1)


@pytest.mark.parametrize("drafts", ["", "mtp:2@90%/50%", "mtp:2@80%/60%:sampled"])
@pytest.mark.parametrize("prefixes", [False, True])
def test_they_are_sums_over_the_counted_requests(drafts: str, *, prefixes: bool) -> None:
    rng = np.random.default_rng(7)
    draws = with_prefixes(drawn(rng), rng) if prefixes else drawn(rng)
    one = engine(drafting=speculation(drafts)) if drafts else engine()
    counted = rng.random(COUNT) < 0.7
    expected = np.zeros(7, object)
    for index in np.flatnonzero(counted).tolist():
        prompt, output = int(draws.prompt[index]), int(draws.output[index])
        cached = int(draws.cached[index])
        if draws.prefixes is not None:
            cached = 16 * min((prompt - 1) // 16, int(draws.prefixes.known[index]))
        steps = steps_of(output, one.drafting)
        reads = sum(2 * (prompt + 1 + step) for step in range(steps))
        pairs = prompt**2 - cached**2
        expected += np.array([1, prompt, prompt - cached, output, steps, reads, pairs], object)
    assert counts(one, draws, counted) == Counts(*expected.tolist())


def test_of_none_there_is_nothing() -> None:
    draws = drawn(np.random.default_rng(1))
    assert counts(engine(), draws, np.zeros(COUNT, bool)) == Counts(0, 0, 0, 0, 0, 0, 0)
