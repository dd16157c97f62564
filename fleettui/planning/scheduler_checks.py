"""What a scheduler needs of a question, and what it does not go with."""

from __future__ import annotations

from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.scheduling import SCHEDULERS


def check_scheduler(question: Question, name: str) -> None:
    """Raise InputError where the scheduler `name` cannot serve what a question asks for.

    Raises UnknownNameError for one that there is none of.
    """
    scheduler = SCHEDULERS.named(name, "--admission")
    if scheduler.alone and question.step_law == "roofline":
        raise InputError(
            "the roofline does not time prompts in steps of their own",
            where="--admission",
            value=name,
            remedy=f"add --step-law kernels, or plan with --admission {SCHEDULERS.default.name}",
        )
    if question.kv_offload and (scheduler.reserves or (scheduler.turns is not None and not question.prefix_cache)):
        why = "preempts and drops nothing" if scheduler.reserves else "is not simulated with it"
        raise InputError(
            f"admission {name} {why}",
            where="--kv-offload",
            value=question.kv_offload,
            remedy=f"leave it out, or plan with --admission {SCHEDULERS.default.name}",
        )
    for feature, said in question.features.said():
        if scheduler.reserves and feature.of_blocks:
            raise InputError(
                f"admission {name} preempts and drops nothing",
                where=feature.option,
                value=said,
                remedy=f"leave it out, or plan with --admission {SCHEDULERS.default.name}",
            )
    if scheduler.turns is None:
        return
    plain = ", ".join(one.name for one in SCHEDULERS if one.turns is None)
    if question.bounds.timeout is not None:
        raise InputError(
            f"admission {name} does not know of clients that leave before their first token",
            where="--client-timeout",
            value=f"{question.bounds.timeout:g} s",
            remedy=f"leave it out, or plan with --admission {plain}",
        )
    if question.speculative:
        raise InputError(
            f"admission {name} is not simulated with drafts",
            where="--speculative",
            value=question.speculative,
            remedy=f"leave it out, or plan with --admission {plain}",
        )
    if scheduler.turns.preempts and not question.batch_share:
        raise InputError(
            f"admission {name} lets interactive requests preempt those of class batch, and none is",
            where="--admission",
            value=name,
            remedy=f"add --batch-share 30%, or plan with --admission {plain}",
        )
