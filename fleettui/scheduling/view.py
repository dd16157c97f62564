"""What a scheduler sees of a request, its turn and its replica: a rule may read what stands here by name, nothing else.

The plain engine hands a rule these values, the compiled one its records, which have fields of the same names.
Times are seconds from the start of the run, blocks have as many tokens as the engine's.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Waiting(Protocol):
    """A request that waits, or whose prompt was cut by the budget of a step."""

    arrival: float
    prompt: int
    cached: int  # of the prompt's tokens, those that need not be computed, as far as is known
    output: int  # tokens that it may put out, which it does
    generated: int  # those of them that it has already: not 0 after it was preempted
    batch: bool  # whether it is of class batch, not interactive


class Turn(Protocol):
    """What schedulers whose prompts take turns know beside it."""

    fresh: int  # prompt tokens that its session did not have before
    served: int  # tokens that its session was served in earlier rounds
    long: bool  # whether that is a long one by the scheduler's rules
    carries: bool  # whether its prompt, which was cut, carries on
    guess: float  # output tokens, with the question's error of lengths; see Turns.guesses


class Moment(NamedTuple):
    """A replica as it composes its next step."""

    now: float
    free: int  # blocks that nobody holds
    blocks: int  # all of them
    running: int  # sequences
    places: int  # sequences that it runs at once at most
    budget: int  # tokens of a step at most
