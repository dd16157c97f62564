"""How long prompts take in steps without decodes: each by itself, and as a part of steps that others fill up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fleettui.domain.hardware import StepCost, StepTable
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.table_cost import straight
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.rounds import LaneTimes
from fleettui.queueing.service import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTimes:
    """Seconds of each prompt of a table by itself (`alone`) and of full steps (`packed`), shape (atoms,).

    `fixed` are the seconds of a step that holds next to nothing, `rounds` those of lanes that step together, None where
    each lane has steps of its own.
    """

    alone: FloatArray
    packed: FloatArray
    fixed: float
    rounds: LaneTimes | None


def prompt_times(step: StepCost | StepTable, engine: Service, budget: int, table: RequestTable) -> PromptTimes:
    """Return how long the prompts of `table` take in chunks of `budget` tokens, by the law that the simulation has.

    That is the line of `engine`, one row, or the tabulated kernels themselves: a chunk's attention by its own pairs. Of
    lanes that step together the others have no prompt beside one that is by itself, and as much where steps are full.
    """
    cached = table.prompt - table.uncached
    alone, packed, chunks = np.zeros_like(cached), np.zeros_like(cached), []
    for turn in range(int(table.prefill_steps.max())):
        tokens = np.clip(table.uncached - turn * budget, 0.0, budget)
        some = tokens > 0.0
        computed = np.where(some, cached + turn * budget + tokens, 0.0)
        if isinstance(step, StepTable):
            own, shared = _tabulated(step, tokens, computed, budget)
        else:
            own, shared = _affine(engine, tokens, computed, budget)
        if isinstance(step, StepTable) and step.gathered:
            chunks.append(_of_lane(step, engine.lanes, table.weight * some, tokens, computed))
            own = chunks[-1].alone
        alone += np.where(some, own, 0.0)
        packed += np.where(some, shared, 0.0)
    one = np.ones(1)
    fixed = _tabulated(step, one, one, budget) if isinstance(step, StepTable) else _affine(engine, one, one, budget)
    return PromptTimes(alone=alone, packed=packed, fixed=float(fixed[0][0]), rounds=LaneTimes.of(chunks))


def _affine(engine: Service, tokens: FloatArray, computed: FloatArray, budget: int) -> tuple[FloatArray, FloatArray]:
    """Return the seconds of chunks in steps of their own, and in full ones."""
    base, own = engine.base[0], engine.per_prompt[0] * tokens + engine.per_context[0] * computed
    return base + own, base * tokens / budget + own


def _tabulated(step: StepTable, tokens: FloatArray, computed: FloatArray, budget: int) -> tuple[FloatArray, FloatArray]:
    """Return the same of steps by kernels."""
    pairs = tokens * (computed - 0.5 * tokens)
    own = step_time(step, decodes=0, context_tokens=0, prompt_tokens=tokens, attention_pairs=pairs)
    full = float(step_time(step, decodes=0, context_tokens=0, prompt_tokens=budget, attention_pairs=0.0))
    packed = np.minimum(full * tokens / budget + straight(pairs, step.pairs, step.attention), own)
    return own, packed


def _of_lane(step: StepTable, lanes: int, weight: FloatArray, tokens: FloatArray, computed: FloatArray) -> LaneTimes:
    """Return what chunks add to rounds of lanes: attention for their lane, the layers behind it for all of them."""
    pairs = tokens * (computed - 0.5 * tokens)
    linear, behind = (straight(tokens, step.tokens, part) for part in (step.linear, step.gathered))
    first, least = (float(straight(np.zeros(1), step.tokens, part)[0]) for part in (step.linear, step.gathered))
    return LaneTimes(
        lanes=lanes,
        weight=weight,
        own=(linear - behind) - (first - least) + straight(pairs, step.pairs, step.attention),
        common=behind - least,
        base=step.overhead + step.prompt_floor + first,
        least=step.overhead + step.prompt_least,
    )
