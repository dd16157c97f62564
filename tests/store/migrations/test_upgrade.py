"""An older file is raised on opening, after a copy, whole or not at all."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from fleettui.domain.digest import digest
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Scenario
from fleettui.domain.serialization import decode
from fleettui.domain.slo import Slo
from fleettui.domain.workload import Workload
from fleettui.errors import StoreError, StoreVersionError, UnreadableError
from store import Store, opening
from store.checksum import checksum
from store.convert import decode_figures
from store.migrations.upgrade import backup_path
from store.migrations.versions import schema_0008
from store.schema import APPLICATION_ID, SCHEMA, Schema
from tests.repeated import few
from tests.store import samples

ROOT = Path(__file__).parents[3]
DATABASES = ROOT / "tests" / "databases"
FIRST = DATABASES / "schema-1.db"
SECOND = DATABASES / "schema-2.db"
PRESENT = DATABASES / "schema-8.db"
STEPS = Path(__file__).parents[1]


def next_schema(folder: str) -> Schema:
    """Return the schema of a program to come, which one of the steps in the tests' folders leads to."""
    return Schema(revision="0009", steps=(*SCHEMA.steps, STEPS / folder), tables=SCHEMA.tables)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy of a store of the present schema, which is old to the program to come."""
    return Path(shutil.copy(PRESENT, tmp_path / "fleettui.db"))


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A copy of the store that schema 1 left behind."""
    return Path(shutil.copy(FIRST, tmp_path / "first.db"))


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """A copy of the store that schema 2 left behind."""
    return Path(shutil.copy(SECOND, tmp_path / "second.db"))


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def query(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


@pytest.mark.parametrize(("table", "kind"), [("scenario", Scenario), ("profile", Profile), ("workload", Workload)])
def test_what_is_kept_keeps_its_digest(table: str, kind: type[object]) -> None:
    """A field that is added to one of them is `later(default)`, which leaves the digests as they are."""
    rows = query(PRESENT, f"SELECT digest, body FROM {table}")
    assert rows
    for key, body in rows:
        assert digest(decode(kind, str(body))) == key


def test_every_past_schema_opens_and_reads(tmp_path: Path) -> None:
    past = sorted(DATABASES.glob("schema-*.db"))
    assert len(past) == int(SCHEMA.revision)
    for database in past:
        with Store.open(Path(shutil.copy(database, tmp_path))) as store:
            row = store.row("chat in may")
            assert (row.handle, row.gpus, row.cost_per_hour, row.note, row.tags) == (
                "93b8",
                16,
                71.1,
                "as agreed",
                ("prod",),
            )
            plan = store.plan(row.handle)
            assert (plan.verdict, len(plan.candidates), plan.why[1]) == ("pass", 5, "λ × w")
            assert plan.answer == plan.candidates[0]
            assert store.question("last").slo.ttft == 0.5
            assert store.plan("last").answer is None


def test_the_first_schema_keeps_everything_on_its_way_to_the_present(first: Path) -> None:
    named = ("plan", "workload", "profile", "scenario", "provenance", "excluded")
    tables = {one: ", ".join(str(row[1]) for row in query(first, f"PRAGMA table_info({one})")) for one in named}
    tables["candidate"] = "id, handle, plan, rank"
    before = {table: query(first, f"SELECT {names} FROM {table}") for table, names in tables.items()}
    content = dump(first)
    Store.open(first).close()
    assert {table: query(first, f"SELECT {names} FROM {table}") for table, names in tables.items()} == before
    assert query(first, "SELECT version_num, finished FROM alembic_version, plan") == [("0008", 1), ("0008", 1)]
    assert query(first, "PRAGMA foreign_key_check") == []
    assert query(first, "PRAGMA integrity_check") == [("ok",)]
    assert dump(backup_path(first, "0001")) == content


def test_a_file_of_the_first_schema_equals_a_new_one(first: Path, tmp_path: Path) -> None:
    Store.open(first).close()
    Store.open(tmp_path / "new.db").close()
    triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    assert query(first, triggers) == query(tmp_path / "new.db", triggers)


def test_plans_of_the_first_schema_are_finished_and_can_be_proved(first: Path) -> None:
    with Store.open(first) as store:
        assert store.is_finished("chat in may")
        answer = store.plan("chat in may").answer
        assert answer
        assert answer.evidence
        assert (answer.evidence.seed, answer.evidence.pools[0].preemptions) == (None, 0.0)
        question = store.question("last")
        assert (question.verify, question.precision) == (True, 0.05)
        store.add_replication(answer.candidate, 7, samples.replication())
        store.add_verification(answer.candidate, samples.simulated())
        proved = store.plan("chat in may").answer
        assert proved == replace(answer, evidence=samples.simulated())
    with pytest.raises(sqlite3.IntegrityError, match="an ended plan does not change"):
        query(first, "UPDATE plan SET verdict = 'fail'")


def test_what_a_list_shows_of_a_question_is_taken_from_where_it_was(second: Path) -> None:
    with Store.open(second) as store:
        rows = {row.name: row for row in store.plans()}
        assert {row.slo for row in rows.values()} == {Slo(ttft=0.5, tpot=0.05)}
        assert {(row.rate, row.parent) for row in rows.values()} == {(83.3, "")}
        assert {name: (row.finished, row.candidates) for name, row in rows.items()} == {
            "too fast": (True, 3),
            "cut short": (False, 3),
            "proved": (True, 2),
            "chat in may": (True, 5),
        }
        assert len(store.plan("chat in may").candidates) == 5
        fork = samples.add(store, parent="chat in may")
        assert store.row(fork.plan.id).parent == rows["chat in may"].id


@pytest.mark.parametrize("revision", [1, 2, 3])
def test_a_file_from_before_studies_takes_them_and_keeps_its_plans(tmp_path: Path, revision: int) -> None:
    path = Path(shutil.copy(DATABASES / f"schema-{revision}.db", tmp_path / "old.db"))
    bodies = query(path, "SELECT body FROM plan ORDER BY id")
    with Store.open(path) as store:
        assert (store.studies(), store.count_studies()) == ([], 0)
        kept = store.add_study(samples.study("chat in may"))
        assert store.studies(plan="chat in may") == [kept]
    assert query(path, "SELECT body FROM plan ORDER BY id") == bodies
    assert query(path, "SELECT version_num FROM alembic_version") == [("0008",)]
    with pytest.raises(sqlite3.IntegrityError, match="a stored study does not change"):
        query(path, "UPDATE study SET title = 'x'")


def test_the_present_schema_holds_studies(old: Path) -> None:
    with Store.open(old) as store:
        lone, first = store.studies()
        assert (lone.plan, lone.title) == ("", "What was published?")
        assert (first.plan, first.handle) == (store.row("chat in may").id, store.study(first.id).handle)
        assert first.tables == samples.study().tables


def test_a_what_if_keeps_its_parent(old: Path) -> None:
    with Store.open(old) as store:
        assert store.row("what if").parent == store.row("chat in may").id


def test_the_present_schema_holds_proof_and_jobs(old: Path) -> None:
    with Store.open(old, clock=lambda: samples.MOMENT + timedelta(days=9)) as store:
        proved = store.plan("proved")
        assert proved.answer
        assert [one.evidence and one.evidence.verdict for one in proved.candidates] == ["fail", "pass"]
        (judged,) = store.verifications(proved.answer.candidate)
        assert proved.answer.evidence == judged
        assert (judged.pools[1].ttft.value, judged.pools[1].preemptions) == (0.46, 0.3)
        row = store.row("proved")
        assert (row.method, row.verdict, row.ttft) == ("simulation", "pass", 0.46)
        kept = store.replications(proved.answer.candidate, 7, histograms=True)
        assert [(one.index, one.digest[-1]) for one in kept] == [(0, "0"), (1, "1")]
        spread = kept[0].pools[0].histograms
        assert [one.metric for one in spread] == ["ttft", "tpot", "e2e"]
        assert sum(count for _, count in spread[0].cells) == 20_054
        study, cut_short, done = store.jobs()
        assert (study.kind, study.plan, study.title, study.state) == ("study", "", "whatif last --steps", "stopped")
        assert study.asked == samples.study_job().asked
        assert [(job.state, job.title) for job in (cut_short, done)] == [
            ("stopped", "chat in may"),
            ("done", "chat in may"),
        ]
        assert (store.is_finished("proved"), store.is_finished("cut short")) == (True, False)
        assert store.claim_job("last", "elsewhere:2:2").state == "running"


def test_a_file_goes_up_several_steps_at_once(first: Path) -> None:
    opening.open_file(first, schema=next_schema("revisions")).engine.dispose()
    assert query(first, "SELECT version_num FROM alembic_version") == [("0009",)]
    assert query(first, "SELECT DISTINCT owner, finished FROM plan") == [("", 1)]
    assert dump(backup_path(first, "0001")) == dump(FIRST)


def test_an_older_file_is_raised_and_keeps_everything(old: Path) -> None:
    with Store.open(old) as store:
        before = [store.plan(row.id) for row in store.plans()]
    opened = opening.open_file(old, schema=next_schema("revisions"))
    opened.engine.dispose()
    assert query(old, "SELECT version_num FROM alembic_version") == [("0009",)]
    assert query(old, "SELECT DISTINCT owner FROM plan") == [("",)]
    assert query(old, "PRAGMA foreign_key_check") == []
    assert query(old, "PRAGMA integrity_check") == [("ok",)]
    after = opening.open_file(old, schema=next_schema("revisions"))
    assert after.refusal is None
    store = Store(after, clock=lambda: pytest.fail("no time is asked for"), entropy=lambda: 0)
    assert [store.plan(one.plan.id) for one in before] == before
    store.close()


def test_triggers_stand_again_after_an_upgrade(old: Path) -> None:
    triggers = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    before = query(old, triggers)
    opening.open_file(old, schema=next_schema("revisions")).engine.dispose()
    assert query(old, triggers) == before
    with pytest.raises(sqlite3.IntegrityError, match="does not change"):
        query(old, "UPDATE plan SET gpus = 1")


def test_a_copy_of_the_older_file_is_kept(old: Path) -> None:
    before = dump(old)
    opening.open_file(old, schema=next_schema("revisions")).engine.dispose()
    copy = backup_path(old, "0008")
    assert dump(copy) == before
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with Store.open(copy) as store:
        assert store.count() == 5


def test_a_step_that_breaks_references_changes_nothing(old: Path) -> None:
    before = dump(old)
    with pytest.raises(StoreError, match=r"references would break.*nothing was changed\n  do: report"):
        opening.open_file(old, schema=next_schema("broken_revisions"))
    assert dump(old) == before
    with Store.open(old) as store:
        assert store.count() == 5


def test_a_step_that_loses_strict_is_a_bug_and_changes_nothing(old: Path) -> None:
    before = dump(old)
    with pytest.raises(AssertionError, match=r"no longer STRICT.*excluded"):
        opening.open_file(old, schema=next_schema("loose_revisions"))
    assert dump(old) == before


def test_an_older_file_is_not_raised_when_it_may_only_be_read(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(StoreError, match="written by an older fleettui"):
        opening.open_file(old, read_only=True, schema=next_schema("revisions"))
    assert old.read_bytes() == before
    assert not backup_path(old, "0008").exists()


def test_a_newer_file_is_read_and_not_written(old: Path) -> None:
    opening.open_file(old, schema=next_schema("revisions")).engine.dispose()
    before = dump(old)
    with Store.open(old) as store:
        assert "upgrade fleettui" in store.notice
        assert store.plan("chat in may").verdict == "pass"
        with pytest.raises(StoreVersionError, match=r"newer fleettui \(schema 0009, this one knows 0008\)"):
            store.set_name("last", "x")
    assert dump(old) == before


def test_a_newer_file_whose_tables_are_others_says_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "future.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"PRAGMA application_id={APPLICATION_ID}; CREATE TABLE alembic_version (version_num);"
            "INSERT INTO alembic_version VALUES ('9f3c2ab1'); CREATE TABLE plan (other)"
        )
    with (
        Store.open(path) as store,
        pytest.raises(StoreVersionError, match=r"does not read here.*\n  do: upgrade fleettui"),
    ):
        store.plans()


def test_alembic_is_imported_only_for_an_older_file(old: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from store import Store\n"
        f"with Store.open(Path({str(old)!r})) as s: assert s.count() == 5\n"
        f"with Store.open(Path({str(old.with_name('fresh.db'))!r})) as s: assert s.count() == 0\n"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)


def test_every_body_gets_its_checksum(tmp_path: Path) -> None:
    path = Path(shutil.copy(DATABASES / "schema-5.db", tmp_path / "old.db"))
    kept = ("plan", "verification", "replication", "study")
    before = {table: query(path, f"SELECT body FROM {table} ORDER BY rowid") for table in kept}
    with Store.open(path) as store:
        assert store.altered() == ()
        fork = samples.add(store, parent="chat in may")
        assert len(store.plan(fork.plan.id).candidates) == 5
    for table, bodies in before.items():
        assert query(path, f"SELECT body FROM {table} ORDER BY rowid")[: len(bodies)] == bodies
    for table in (*kept, "part", "candidate_block"):
        assert all(checksum(str(body)) == kept for body, kept in query(path, f"SELECT body, checksum FROM {table}"))


def as_kept(path: Path) -> dict[str, tuple[int, Candidate]]:
    """Return the ranks and values of the candidates of a file of a schema before 0008, by id, read from their rows."""
    held = query(path, "SELECT name FROM sqlite_master WHERE name = 'part'")
    numbered = query(path, "SELECT plan, number, body FROM part") if held else []
    parts = {(plan, number): json.loads(str(body)) for plan, number, body in numbered}
    found = {}
    for identifier, handle, plan, rank, body in query(path, "SELECT id, handle, plan, rank, body FROM candidate"):
        value = json.loads(str(body))
        if "parts" in value:
            of_fleet, figures = ([parts[plan, number] for number in group] for group in value.pop("parts"))
            value |= {"fleet": value["fleet"] | {"pools": of_fleet}, "pools": figures}
        one = decode_figures(Candidate, json.dumps(value))
        assert isinstance(rank, int)
        found[str(identifier)] = rank, replace(one, candidate=str(identifier), handle=str(handle), evidence=None)
    return found


@pytest.mark.parametrize("revision", few(range(1, 8), 3))
def test_candidates_are_in_blocks_what_they_were_in_rows(tmp_path: Path, revision: int) -> None:
    path = Path(shutil.copy(DATABASES / f"schema-{revision}.db", tmp_path / "old.db"))
    kept = as_kept(path)
    assert len(kept) >= 5
    orders = {
        name: query(path, f"SELECT id FROM candidate ORDER BY plan, {keys}, rank")
        for name, keys in schema_0008.ORDERS.items()
    }
    with Store.open(path) as store:
        for identifier, (_, one) in kept.items():
            assert replace(store.candidate(identifier), evidence=None) == one
        plans = [plan for (plan,) in query(path, "SELECT id FROM plan ORDER BY id")]
        for name, told in orders.items():
            pages = [store.candidates(str(plan), order=name, limit=99) for plan in plans]
            assert [(one.candidate,) for page in pages for one in page] == told
        assert store.altered() == store.damage() == ()


def test_an_older_candidate_that_was_written_over_is_told_as_before(tmp_path: Path) -> None:
    path = Path(shutil.copy(DATABASES / "schema-7.db", tmp_path / "old.db"))
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("DROP TRIGGER candidate_stays")
        raw.execute("UPDATE candidate SET body = replace(body, '\"gpus\":', '\"gpus\"?') WHERE rank = 2")
    with Store.open(path) as store:
        whole = store.plan("chat in may", most=1)
        assert len(whole.candidates) == 1
        assert {(one.said, one.spared) for one in store.altered()} >= {("a candidate block of 93b8", False)}
        with pytest.raises(UnreadableError, match="a stored candidate does not read"):
            store.plan("chat in may")


@pytest.mark.parametrize("revision", [2, 6])
def test_jobs_from_before_studies_were_jobs_stay_as_they_were(tmp_path: Path, revision: int) -> None:
    path = Path(shutil.copy(DATABASES / f"schema-{revision}.db", tmp_path / "old.db"))
    columns = ", ".join(f'"{row[1]}"' for row in query(path, "PRAGMA table_info(job)"))
    before = query(path, f"SELECT {columns} FROM job ORDER BY id")
    assert len(before) == 2
    with Store.open(path) as store:
        job = store.create_job(samples.study_job())
        assert [one.kind for one in store.jobs()] == ["study", "plan", "plan"]
    assert query(path, f"SELECT {columns} FROM job WHERE kind <> 'study' ORDER BY id") == before
    with pytest.raises(sqlite3.IntegrityError, match="a stored job does not change"):
        query(path, f"UPDATE job SET asked = '{{}}' WHERE id = '{job.id}'")
