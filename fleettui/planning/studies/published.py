"""The papers' published tables, cell by cell: printed, by preset `paper`'s method, and by ours."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from fleettui.domain.published_titles import LISTED, TITLES, title_named
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import Command, Prompt, StudyType

if TYPE_CHECKING:
    from fleettui.domain.progress import Progress
    from fleettui.domain.study import Study, StudyTable
    from fleettui.planning.studies.study_context import StudyContext

SEED = 1
EVERY, RIVALS = "all", "rivals"
PRINTED, PAPER = 2, 3
"""The places of a row that hold what is printed, and what the papers' method gives."""
BOUND_KEPT = "printed as a bound, which is kept: "
"""How the note of a cell begins whose printed number is the most that there may be, and that is below it."""
NOT_PRINTED = "not printed: "
"""How the note of a cell begins that the paper tells of in words alone."""
NOT_REPRODUCED = "not reproduced: "
"""How the note of a cell begins whose printed number no honest computation gives."""
CANNOT_BE_HAD = "cannot be had here: "
"""How the note of a mechanism's row begins for which the paper's machines or traces would be needed."""
MECHANISM = "FR "
"""How the title of a table begins that shows a mechanism with intervals, whose cells are not held to ours."""
MECHANISM_SENTENCE = (
    "FR: changes as shares, ours on other hardware than the paper's, token by token or by formula as the table's note "
    "says: that their sign is the same is what is shown, where the interval leaves out 0."
)
SENTENCES = (
    "paper: the papers' own method, an 8-GPU node's speed at one GPU's price, prompts free; its fleets cannot be run.",
    "recommended: our method by formula, prompts counted, a replica is the GPUs it takes; tokens are simulated where "
    "the paper simulated.",
    "Seconds, watts, US dollars and shares; a dash is a value without bound, a cap that does not exist, or unprinted.",
)
RIVAL_SENTENCES = (
    "Other planners: the errors that are reported of them, what their prompt constants come to as MFU, and the same "
    "public runs by their constants and by ours.",
    "A loop of BLIS is steady: each step has a decode of every client and its share of the prompts. The profile of "
    "inference-fleet-sim is a node's, so it stands beside tp 8, and its prompts are free.",
)


async def work(desk: StudyContext, table: str | None = None) -> Study:
    """Return the published table that `table` names, or all of them, computed now, side by side.

    `rivals` are other planners beside ours. Raises UnknownNameError with the list for a name of no table.
    """
    from fleettui.domain.study import StudyTable
    from fleettui.planning.worker_pool import together

    if table is not None and table.strip().lower() == RIVALS:
        return _rivals(await desk.run("rivals-tables", tuple[StudyTable, ...]))
    titles = await desk.run("published-titles", tuple[str, ...], text=table)
    finished = 0

    def told(progress: Progress) -> None:
        desk.tell(progress.message, finished, len(titles))

    async def one(title: str) -> StudyTable:
        nonlocal finished
        found = await desk.run("published-table", StudyTable, told, title=title, seed=SEED)
        finished += 1
        return found

    return _study(table, await together(map(one, titles)))


def _rivals(tables: tuple[StudyTable, ...]) -> Study:
    from fleettui.domain.study import Study

    return Study(
        kind="published",
        title="Other planners",
        question=f"published {RIVALS}",
        seed=SEED,
        sentences=RIVAL_SENTENCES,
        tables=tables,
    )


def _study(named: str | None, tables: Sequence[StudyTable]) -> Study:
    from fleettui.domain.study import Study

    held = [table for table in tables if not table.title.startswith(MECHANISM)]
    if not held:
        return _mechanisms(tables)
    cells = [row for table in held for row in table.rows]
    alike = BOUND_KEPT, NOT_PRINTED
    other = [row for row in cells if differs(row[PRINTED], row[PAPER]) and not str(row[-1]).startswith(alike)]
    missed = [row for row in other if str(row[-1]).startswith(NOT_REPRODUCED)]
    count = f"{len(cells)} cells of {len(held)} published {'table' if len(held) == 1 else 'tables'}"
    honestly = f", {len(missed)} of them because no honest computation gives what is printed" if missed else ""
    named_so = (
        f"by the papers' own method {len(other)} {'differs' if len(other) == 1 else 'differ'} from what is printed, "
        f"each with its cause{honestly}"
        if other
        else "the papers' own method gives what is printed in each"
    )
    return Study(
        kind="published",
        title=tables[0].title if named else "Published tables",
        question=" ".join(["published", *([tables[0].title] if named else [])]),
        seed=SEED,
        sentences=(f"{count}; {named_so}.", *SENTENCES, *([MECHANISM_SENTENCE] if len(tables) > len(held) else [])),
        tables=tuple(tables),
    )


def _mechanisms(tables: Sequence[StudyTable]) -> Study:
    """Return the study of a table of a mechanism: how many of its changes have the sign that is printed."""
    from fleettui.domain.study import Study

    rows = [row for table in tables for row in table.records()]
    alike = [row for row in rows if row["printed"] and row["it_is"] in ("lower", "higher")]
    same = [row for row in alike if (float(str(row["printed"])) < 0.0) == (row["it_is"] == "lower")]
    missing = sum(str(row["note"]).startswith(CANNOT_BE_HAD) for row in rows)
    return Study(
        kind="published",
        title=tables[0].title,
        question=f"published {tables[0].title}",
        seed=SEED,
        sentences=(
            f"{len(alike)} of {len(rows)} figures have a printed change and one of ours that is proven, {len(same)} of "
            f"them with the same sign; {missing} cannot be had without the paper's machines.",
            MECHANISM_SENTENCE,
        ),
        tables=tuple(tables),
    )


def differs(printed: object, computed: object) -> bool:
    """Return whether a computed value does not round to the printed one at its digits.

    Zeros at the end of an integer are no digits where there are two or more, as with watts; None is no bound.

    >>> differs(0.898, 0.8982), differs(16500, 16531.7), differs(12, 13), differs(None, 428.5)
    (False, False, True, True)
    """
    if not isinstance(printed, (int, float)) or not isinstance(computed, (int, float)):
        return printed != computed
    whole = Decimal(repr(printed)).normalize()
    exponent = whole.as_tuple().exponent
    assert isinstance(exponent, int), "a printed value is finite"
    unit = Decimal(10) ** (0 if exponent == 1 else exponent)
    return abs(Decimal(repr(computed)) - whole) > unit / 2


def read_line(line: str) -> Given:
    """Return the table that a line names; nothing, or `all`, stands for all."""
    return {} if line.lower() in ("", EVERY) else {"table": line}


def read(given: Given) -> dict[str, Any]:
    """Return the table that is asked for by its title; raises UnknownNameError for a name of no table."""
    text = given.get("table")
    if text is None:
        return {}
    return {"table": RIVALS if text.strip().lower() == RIVALS else title_named(text, TITLES)}


STUDY = StudyType(
    kind="published",
    work=work,
    read=read,
    command=Command(
        help="the papers' tables: printed, by their method, by ours",
        about="Compute each published cell by the papers' method and by ours, keep the study, and print it.",
        examples="""\
\b
Examples:
  fleettui published "FO T3"
  fleettui published ift9 --json
  fleettui published rivals     (other planners beside ours)
  fleettui published            (all tables, some minutes)
""",
        after="profile validate",
        view="compare",
        arguments=(
            Argument(
                name="table",
                form="word",
                example="TABLE",
                help=f"{LISTED}, {RIVALS}; none: all",
            ),
        ),
        of_shown=False,
        prompt=Prompt(
            help=lambda: f"{LISTED}, {RIVALS}; {EVERY} (minutes)",
            read=read_line,
            value="FO T3",
        ),
    ),
)
