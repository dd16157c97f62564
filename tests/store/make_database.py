"""Makes tests/databases/schema-N.db for the present schema N: run once, when a schema is about to be released.

`python -m tests.store.make_database`; the file is then kept for good, since every past schema must open and upgrade.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from store import Store
from store.schema import SCHEMA
from tests.store import samples

FOLDER = Path(__file__).parents[1] / "databases"


def make(path: Path) -> None:
    """Write a small store to `path`, without a write-ahead log.

    It holds a passing, labelled plan, one that was proved, one whose proof was cut short, a what-if of the first, and
    an infeasible one; a study of the first, and one of no plan; and a job that is a study, cut short.
    """
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(Path(folder) / "made.db", clock=samples.clock(), entropy=lambda: 1) as store:
            samples.add(store)
            store.set_note("last", "as agreed")
            store.add_tag("last", "prod")
            samples.prove(store)
            samples.begin(store, samples.unproven(3, name="cut short"), owner="elsewhere:1:1")
            samples.add(store, samples.answer(2, name="what if"), parent="chat in may")
            samples.add(store, samples.infeasible("too fast"))
            store.add_study(samples.study("chat in may"))
            store.add_study(samples.study(title="What was published?"))
            store.create_job(samples.study_job(owner="elsewhere:1:1"))
            made = store.path
        with closing(sqlite3.connect(made)) as connection:
            connection.execute("VACUUM INTO ?", (str(path),))


if __name__ == "__main__":
    make(FOLDER / f"schema-{int(SCHEMA.revision)}.db")
