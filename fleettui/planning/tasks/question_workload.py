"""The workload of a question: read from where it says, or made from percentiles."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from fleettui.domain.day import Day
from fleettui.domain.length_factors import AS_RECORDED
from fleettui.domain.scenario import Question
from fleettui.domain.workload import LengthDistribution, Origin, TimeSlice, Workload
from fleettui.errors import InputError
from fleettui.workloads import library
from fleettui.workloads.arrivals import asked
from fleettui.workloads.busiest import in_busiest
from fleettui.workloads.context_limit import longer_than
from fleettui.workloads.days import ACCEPTED, names, read_day
from fleettui.workloads.named import read_workload
from fleettui.workloads.scaled import lengthened
from fleettui.workloads.synthetic import listed, lognormal_marginals

FROM_PERCENTILES = "percentiles"


def workload_of(question: Question, *, longest: int, format: str | None = None) -> Workload:
    """Return the lengths and times that `question` names, as they come in the busiest times of its arrivals' profile.

    `format` forces the reader of a trace. Raises InputError when the question names no lengths, or names them twice,
    when requests are above `longest` tokens and it does not allow them to be dropped, and for a profile that does not
    read.
    """
    workload, arrivals = _workload_of(question, longest=longest, format=format), asked(question.arrivals)
    if arrivals.file is None:
        return workload
    if arrivals.file in names():
        raise InputError(
            "a shipped day has a shape and no rates",
            where="--arrivals",
            value=arrivals.text,
            accepted=f"a file: {ACCEPTED}",
            remedy="a fleet for its highest rate: leave out --arrivals and pass --rate",
        )
    day = _beside(arrivals.file, read_day(arrivals.file, peak=1.0, where="--arrivals", mixed=True))
    if day.workloads and (question.sessions or question.prefix_cache):
        raise InputError(
            "the lengths of this day change, and what prompts share is known of one workload",
            where="--arrivals",
            value=f"{day.name} names {', '.join(day.workloads)}",
            remedy="leave out its column workload, or --sessions and --prefix-cache",
        )
    return in_busiest(workload, day, {name: _lengths_in(day, name, question, longest) for name in day.workloads})


def _beside(file: str, day: Day) -> Day:
    """Return a day whose windows name files by where they lie: beside the day's own."""
    shipped = library.names()

    def placed(name: str) -> str:
        return name if not name or name in shipped else str(Path(file).parent / name)

    return replace(day, windows=tuple(replace(one, workload=placed(one.workload)) for one in day.windows))


def _lengths_in(day: Day, workload: str, question: Question, longest: int) -> LengthDistribution:
    """Return the lengths of a workload that a day names; a refusal says the first row that does."""
    try:
        return _lengths(question, workload, longest)
    except InputError as error:
        row = next(place for place, one in enumerate(day.windows, start=1) if one.workload == workload)
        raise error.at(f"{day.name}: row {row}: {error.where or workload}") from None


def _lengths(question: Question, workload: str, longest: int) -> LengthDistribution:
    """Return the lengths of a workload that a day names; raises InputError where it has time slices of its own."""
    named = replace(question, workload=workload, prompt=(), output=())
    found = _workload_of(named, longest=longest)
    if len(found.slices) > 1:
        raise InputError(
            "a window's workload has time slices of its own",
            where="--arrivals",
            value=f"{workload}: {len(found.slices)} slices",
            remedy="build it without --slices, or each slice as a workload of its own",
        )
    return found.slices[0].lengths


def lengths_today(question: Question, kept: Workload, *, longest: int) -> Workload:
    """Return the `kept` workload of a question with the lengths that its source has today, at its kept profile."""
    if asked(question.arrivals).file is None:
        return workload_of(question, longest=longest)
    own = _workload_of(question, longest=longest).slices[0].lengths
    slices = (
        replace(one, lengths=_lengths(question, one.workload, longest) if one.workload else own) for one in kept.slices
    )
    return replace(kept, slices=tuple(slices))


def _workload_of(question: Question, *, longest: int, format: str | None = None) -> Workload:
    """Return the lengths and times that `question` names, longer or shorter by its factors.

    Raises InputError as `_recorded` does, and where scaled requests are too long.
    """
    if question.lengths == AS_RECORDED:
        return _recorded(question, longest=longest, format=format)
    workload = lengthened(_recorded(question, longest=None, format=format), question.lengths)
    if all(part.lengths.kind != "marginals" for part in workload.slices):
        longer = longer_than(workload, longest)
        if longer.share:
            raise too_long(f"{longer.share:.2%} of the requests are", longest, question)
    return workload


def _recorded(question: Question, *, longest: int | None, format: str | None = None) -> Workload:
    """Return the lengths and times that `question` names; requests above `longest` tokens are left out and counted.

    `format` forces the reader of a trace. Lengths whose pairing is unknown are left whole: which requests are too
    long depends on it. Raises InputError when the question names no lengths, or names them twice, or when requests are
    too long and it does not allow them to be dropped.
    """
    _check_named_once(question)
    if question.workload is None:
        return _from_percentiles(question)
    source, share = question.workload, question.output_share
    times = asked(question.arrivals).process.needs == "times"
    reading = partial(
        read_workload,
        source,
        format=format,
        output_share=share,
        times=times,
        prefixes=question.prefix_cache and not question.sessions,
        sessions=question.sessions,
    )
    workload = reading()
    if longest is None or any(part.lengths.kind == "marginals" for part in workload.slices):
        return workload
    longer = longer_than(workload, longest)
    if longer.share == 0:
        return workload
    shortened = reading(drop_above=longest)  # a trace: exact now
    if question.drop_longer:
        return shortened
    count = shortened.dropped - workload.dropped
    raise too_long(f"{count:,} requests are" if count else f"{longer.share:.2%} of the requests are", longest, question)


def too_long(who: str, longest: int, question: Question) -> InputError:
    """Return the refusal of requests that no pool could hold; `who` counts them ("12 requests are")."""
    asked = question.context is not None
    return InputError(
        f"{who} longer than the context of {longest:,} tokens",
        where=question.workload,
        accepted=f"requests within the context that {'--context sets' if asked else f'{question.model} offers'}",
        remedy=("raise --context, or " if asked else "")
        + ("pass --drop-longer to plan without them" if question.lengths == AS_RECORDED else "a smaller factor"),
    )


def _check_named_once(question: Question) -> None:
    percentiles = bool(question.prompt) + bool(question.output)
    if question.workload is not None and percentiles:
        raise InputError(
            "the lengths are given twice",
            where="--prompt, --output",
            accepted="a workload, or percentiles of prompt and output",
            remedy="leave out one of them",
        )
    if question.workload is None and percentiles < 2:
        raise InputError(
            "percentiles are given for prompt or output only" if percentiles else "no lengths are given",
            accepted="a shipped workload, a file, or --prompt p50=900,p99=8k --output p50=200,p99=1.5k",
            remedy="add the other" if percentiles else "name a workload; `fleettui workload list` shows those shipped",
        )


def _from_percentiles(question: Question) -> Workload:
    lengths = lognormal_marginals(question.prompt, question.output)
    said = f"prompt {listed(question.prompt)}; output {listed(question.output)}"
    return Workload(
        name=FROM_PERCENTILES,
        slices=(TimeSlice(start=0.0, duration=0.0, rate=None, lengths=lengths),),
        origin=Origin(source="percentiles given with the question", derivation=f"lognormal through {said}"),
    )
