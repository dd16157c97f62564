"""What is set otherwise where nothing answers a question: one setting, then the weights, then two settings at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final

from fleettui.domain.advice import Advice, Turn
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.planning.tasks.other_settings import OtherSetting, OtherSettings, others

SMALL: Final = "fp8"
"""The number format of weights that takes half of what they are published in."""


def settings_instead(settings: OtherSettings, nearest: Candidate, turn: Turn) -> list[Advice]:
    """Return what of one turn gives a question a fleet that has none, the `nearest` fleet's settings changed."""
    question = settings.scene.question
    if turn == "alone":
        return settings.instead(nearest, others(question, nearest))
    if turn == "weights":
        return settings.instead(nearest, small_weights(question))
    return settings.instead(nearest, settings.likeliest(paired_settings(question, nearest), nearest))


def small_weights(question: Question) -> list[OtherSetting]:
    """Return the question with smaller weights, where these are as published and nobody's own fit says how they do."""
    if question.dtype != "bf16" or question.fit is not None:
        return []
    asked = replace(question, dtype=SMALL)
    return [OtherSetting(question=asked, words=f"weights in {SMALL}", option=f"--dtype {SMALL}")]


def paired_settings(question: Question, best: Candidate) -> Iterator[OtherSetting]:
    """Yield a question with two other settings of its engine that nobody said, then with one and smaller weights.

    A level of tuning sets several as it is: it comes with other weights alone.
    """
    alone = [*others(question, best)]
    yield from filter(None, (_both(one, other, question) for one, other in combinations(alone, 2)))
    for small in small_weights(question):
        yield from (_joined(small, one, replace(one.question, dtype=SMALL)) for one in alone)


def _both(one: OtherSetting, other: OtherSetting, now: Question) -> OtherSetting | None:
    """Return a token budget with a number of sequences, None of any other two."""
    tokens, most = one.question.token_budget, other.question.max_num_seqs
    if other.question.tuning != now.tuning or tokens == now.token_budget or most == now.max_num_seqs:
        return None
    if not isinstance(tokens, int) or most is None or tokens < most:  # an engine does not start so
        return None
    return _joined(one, other, replace(one.question, max_num_seqs=most))


def _joined(one: OtherSetting, other: OtherSetting, question: Question) -> OtherSetting:
    words, option = f"{one.words} and {other.words}", f"{one.option} {other.option}"
    return OtherSetting(question=question, words=words, option=option)
