"""Prompts put to the compressor of Compress-and-Route: which share of the borderline ones fits, how fast, how true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.model_folder import model_folder
from fleettui.planning.prompt_parts import LINES, starts_of
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import Command, Prompt, StudyType

if TYPE_CHECKING:
    from fleettui.domain.compression_procedure import Procedure
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext

GENERATED = "generated"
"""What stands for prompts that are made by a seed, instead of a file."""
SPLIT, GAMMA, OUTPUT, SEED, SCORED = "8192", "1.5", 300, "1", "10%"
MADE, A_PART = 300, 20
"""How many prompts are made, and how many of them a worker makes at a time."""
PART_BYTES, SCORED_BYTES = 1 << 22, 1 << 18
"""Bytes of a file that a worker reads at a time, and where prompts are scored by a model, which takes long."""


def read(given: Given) -> dict[str, Any]:
    """Return where prompts are and how they are tried; raises InputError."""
    from fleettui.domain.borderline import Band
    from fleettui.domain.compression_procedure import Procedure
    from fleettui.reports import units
    from fleettui.reports.compressor_settings import read_settings

    def whole(name: str, default: str) -> int:
        return int(units.WHOLE_TOKENS.parse(given.get(name, default), f"--{name}"))

    def path(name: str) -> str | None:
        return str(Path(given[name]).expanduser().resolve()) if name in given else None

    try:
        band = Band(split=whole("split", SPLIT), gamma=units.FACTOR.parse(given.get("gamma", GAMMA), "--gamma"))
    except InputError as error:
        raise error if error.where else error.at("--gamma") from None
    output = whole("output", "") if "output" in given else OUTPUT if given["prompts"] == GENERATED else None
    if (output or 0) >= band.split:
        raise InputError(
            "the split is below the outputs: no prompt has room beside them",
            where="--split",
            value=band.split,
            accepted=f"more than {output} tokens",
        )
    procedure = Procedure(
        band=band,
        output=output,
        tokenizer=path("tokenizer"),
        settings=read_settings(*(given.get(name) for name in ("weights", "keep-first", "keep-last"))),
        model=model_folder(given["bertscore"]) if "bertscore" in given else None,
        scored=units.SHARE.parse(given.get("scored", SCORED), "--scored"),
    )
    seed = int(units.COUNT.parse(given.get("seed", SEED), "--seed"))
    return {"prompts": given["prompts"], "procedure": procedure, "seed": seed}


async def work(desk: StudyContext, prompts: str, *, procedure: Procedure, seed: int) -> Study:
    """Return what the compressor does with the prompts of a file, or with those that `seed` makes.

    Raises InputError for a file that cannot be read or holds no prompt, and for files of a tokenizer or a model that
    are none.
    """
    import asyncio

    from fleettui.domain.compression_trial import Trials
    from fleettui.reports.studies.compression import CompressionStory

    step = PART_BYTES if procedure.model is None else SCORED_BYTES
    path, starts = ("", ()) if prompts == GENERATED else await asyncio.to_thread(starts_of, prompts, step)
    counter, *judge = await desk.run("compress-names", tuple[str, ...], procedure=procedure)
    if prompts == GENERATED:
        parts = [
            desk.run(
                "compress-made", Trials, _silent, first=first, count=A_PART, of=MADE, seed=seed, procedure=procedure
            )
            for first in range(0, MADE, A_PART)
        ]
    else:
        parts = [
            desk.run("compress-file", Trials, _silent, path=path, start=start, end=start + step, procedure=procedure)
            for start in starts
        ]
    found = Trials.joined(await desk.each(parts, "parts of the prompts compressed"))
    if not (found.short or found.beyond or found.tried):
        told = ", ".join(f"{count} {why}" for why, count in sorted(found.skipped.items())) or "no line has one"
        remedy = REMEDY if "no output length" in found.skipped else None
        raise InputError(f"holds no prompt: {told}", where=prompts, accepted=LINES, remedy=remedy)
    return CompressionStory(
        trials=found,
        procedure=procedure,
        counter=counter,
        judge=judge[0] if judge else None,
        asked=" ".join(_asked(prompts, procedure, seed)),
        seed=seed,
    ).study()


def _asked(prompts: str, procedure: Procedure, seed: int) -> Iterator[str]:
    """Yield what asks for the study again; files are told by their names."""
    from fleettui.domain.compression_procedure import model_name
    from fleettui.reports import units
    from fleettui.reports.compressor_settings import settings_words

    yield f"compress {prompts} --split {procedure.band.split} --gamma {procedure.band.gamma:g}"
    if procedure.output is not None:
        yield f"--output {procedure.output}"
    if procedure.tokenizer is not None:
        yield f"--tokenizer {Path(procedure.tokenizer).name}"
    yield from settings_words(procedure.settings)
    if procedure.model is not None:
        yield f"--bertscore {model_name(procedure.model)} --scored {units.SHARE.write(procedure.scored)}"
    if prompts == GENERATED:
        yield f"--seed {seed}"


REMEDY = "say --output 300 for prompts whose lines have no output length"


def _silent(_: object) -> None:
    """Tell nothing of a part: how many parts are done is told."""


def line_help() -> str:
    """Return what a line may say."""
    return "prompts.jsonl split 8192 gamma 1.5 output 300; or generated, which makes 300 prompts for a first try"


ARGUMENTS = (
    Argument(
        name="prompts", form="word", example="PROMPTS", help="a file, a JSON object a line; or generated", needed=True
    ),
    Argument(name="split", example="8192", default=SPLIT, help="where the shorter pool ends (default 8192 tokens)"),
    Argument(name="gamma", example="1.5", default=GAMMA, help="how far above it is borderline (default 1.5 splits)"),
    Argument(name="output", example="300", help="output tokens of prompts that do not say theirs"),
    Argument(name="tokenizer", example="tokenizer.json", help="counts tokens; by bytes without it"),
    Argument(
        name="weights",
        listed=True,
        example="position=0.4,tfidf=0.35",
        help="of a sentence's scores: textrank (default 0.2), position (0.4), tfidf (0.35), novelty (0.05)",
    ),
    Argument(name="keep-first", example="3", help="sentences at the start that always stay (default 3)"),
    Argument(name="keep-last", example="2", help="sentences at the end that always stay (default 2)"),
    Argument(
        name="bertscore",
        example="roberta-large",
        help="adds BERTScore: a BERT or RoBERTa model's folder, or its name in the hub's cache",
    ),
    Argument(name="scored", example="10%", default=SCORED, help="share of compressed prompts that the model scores"),
    Argument(name="seed", example="1", default=SEED, help="of the prompts that are generated (default 1)"),
)
STUDY = StudyType(
    kind="compress",
    work=work,
    read=read,
    command=Command(
        help="your borderline prompts compressed: share, time, fidelity",
        about="Put prompts to the compressor of Compress-and-Route, and keep what share fits, how fast, how true.",
        examples="""\
\b
A line is a JSON object with prompt, text or messages, and with output_tokens
or max_tokens. No text is kept: lengths, digests and scores are.
\b
Examples:
  fleettui compress generated                     (a first try, made prompts)
  fleettui compress prompts.jsonl --split 8192 --gamma 1.5
  fleettui compress prompts.jsonl --output 300 --tokenizer tokenizer.json
  fleettui compress prompts.jsonl --weights position=1 --keep-first 5
  fleettui compress prompts.jsonl --bertscore roberta-large --scored 5%
""",
        after="workload from-metrics",
        view="workload",
        arguments=ARGUMENTS,
        of_shown=False,
        prompt=Prompt(help=line_help, value="generated"),
    ),
)
