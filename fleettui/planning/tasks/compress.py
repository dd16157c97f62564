"""The tasks `compress-file` and `compress-made`: prompts put to the compressor, of which only figures come back."""

from __future__ import annotations

from pathlib import Path

from fleettui.compression.prompts import lines_of
from fleettui.compression.settings import Settings
from fleettui.compression.tokens import counter_of
from fleettui.compression.trials import Bench
from fleettui.domain.borderline import Band
from fleettui.domain.compression_trial import Trials
from fleettui.planning.task_context import Context


def file(
    context: Context, *, path: str, start: int, end: int, band: Band, output: int | None, tokenizer: str | None
) -> Trials:
    """Return what the compressor does with the prompts of `path` whose lines begin from byte `start` up to `end`."""
    bench = _bench(band, tokenizer)
    bench.read(lines_of(Path(path), start, end), output, context.check)
    return bench.trials()


def made(
    context: Context, *, first: int, count: int, of: int, seed: int, band: Band, output: int, tokenizer: str | None
) -> Trials:
    """Return what the compressor does with `count` of `of` prompts made by `seed`, from number `first` on."""
    bench = _bench(band, tokenizer)
    bench.make(first, count, of, seed=seed, output=output, told=context.check)
    return bench.trials()


def counter(context: Context, *, tokenizer: str | None) -> str:
    """Return what tokens are counted with, in a few words; raises InputError for a file that is no tokenizer's."""
    context.check()
    return counter_of(tokenizer).name


def _bench(band: Band, tokenizer: str | None) -> Bench:
    return Bench(band=band, counter=counter_of(tokenizer), settings=Settings())
