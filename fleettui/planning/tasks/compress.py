"""The tasks `compress-file` and `compress-made`: prompts put to the compressor, of which only figures come back."""

from __future__ import annotations

from pathlib import Path

from fleettui.compression.bert_score import BertScore
from fleettui.compression.prompts import lines_of
from fleettui.compression.tokens import counter_of
from fleettui.compression.trials import Bench
from fleettui.domain.compression_procedure import Procedure
from fleettui.domain.compression_trial import Trials
from fleettui.planning.task_context import Context


def file(context: Context, *, path: str, start: int, end: int, procedure: Procedure) -> Trials:
    """Return what the compressor does with the prompts of `path` whose lines begin from byte `start` up to `end`."""
    bench = _bench(procedure)
    bench.read(lines_of(Path(path), start, end), procedure.output, context.check)
    return bench.trials()


def made(context: Context, *, first: int, count: int, of: int, seed: int, procedure: Procedure) -> Trials:
    """Return what the compressor does with `count` of `of` prompts made by `seed`, from number `first` on."""
    assert procedure.output is not None, "made prompts have outputs"
    bench = _bench(procedure)
    bench.make(first, count, of, seed=seed, output=procedure.output, told=context.check)
    return bench.trials()


def names(context: Context, *, procedure: Procedure) -> tuple[str, ...]:
    """Return what counts tokens and, where there is one, what is scored by; raises InputError for files that cannot."""
    context.check()
    judge = _judge(procedure)
    return (counter_of(procedure.tokenizer).name, *([] if judge is None else [judge.name]))


def _bench(procedure: Procedure) -> Bench:
    return Bench(
        band=procedure.band,
        counter=counter_of(procedure.tokenizer),
        settings=procedure.settings,
        judge=_judge(procedure),
        scored=procedure.scored,
    )


def _judge(procedure: Procedure) -> BertScore | None:
    return None if procedure.model is None else BertScore.of(Path(procedure.model))
