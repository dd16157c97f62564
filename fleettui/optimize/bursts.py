"""The bursts in which the requests of a question come, at one rate and at any other."""

from __future__ import annotations

import numpy as np

from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.bursts import Bursts
from fleettui.workloads.arrivals import ARRIVALS, asked
from fleettui.workloads.arrivals.process import Variation


def bursts_of(question: Question, rate: float) -> Bursts | None:
    """Return how the question's requests come at `rate` per second in all, None where as Poisson's.

    Raises InputError where nobody can draw so many copies of the workload.
    """
    arrivals = asked(question.arrivals)
    if arrivals.process is ARRIVALS.default:
        return None

    def vary(of: float) -> Variation:
        return arrivals.process.vary(arrivals.stream(of, question.record))

    own = vary(rate)

    def excess(of: float) -> float:
        try:
            return vary(of).excess
        except InputError:  # a search looks at rates beyond those that can be drawn
            return own.excess

    def at(rates: FloatArray) -> FloatArray:
        each, rows = np.unique(rates, return_inverse=True)
        return np.array([excess(float(one)) for one in each])[rows]

    return Bursts(rate, own.excess, own.memory, at)
