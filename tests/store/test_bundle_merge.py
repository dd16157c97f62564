"""Bundles: what goes out comes in, and what somebody made up does not."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import resource
import secrets
import shutil
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleettui.domain.digest import said
from fleettui.domain.new_plan import NewPlan
from fleettui.errors import FleettuiError, InputError
from store import Store
from tests.repeated import CHARACTERS, few
from tests.store import samples

DATABASES = Path(__file__).parents[1] / "databases"
Lines = list[Any]


def base64_of(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "other" / "fleettui.db", clock=samples.clock(), entropy=lambda: 99) as opened:
        yield opened


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("bundled") / "fleettui.db"
    with Store.open(file, clock=samples.clock(), entropy=lambda: 12_345) as store:
        return store.bundle([samples.prove(store).plan.id])


def lines_of(bundle: bytes) -> Lines:
    return [json.loads(line) for line in gzip.decompress(bundle).splitlines()]


def packed(lines: Lines, *, mended: bool = True) -> bytes:
    """Return a bundle of these lines, the digests of its manifest and its inputs `mended` as an attacker would."""
    texts = [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]
    if mended:
        for name, part in lines[0]["tables"].items():
            own = [text for line, text in zip(lines[1:], texts[1:], strict=True) if line[0] == name]
            part |= {"rows": len(own), "sha256": hashlib.sha256(b"".join(own)).hexdigest()}
        texts[0] = json.dumps(lines[0]).encode() + b"\n"
    return gzip.compress(b"".join(texts))


def changed(bundle: bytes, table: str, **columns: Any) -> bytes:
    lines = lines_of(bundle)
    next(line[1] for line in lines[1:] if line[0] == table).update(columns)
    return packed(lines)


def in_block(bundle: bytes, name: str, column: Any) -> bytes:
    """Return the bundle with another column in its block of candidates, or without it."""
    body = next(line[1]["body"] for line in lines_of(bundle)[1:] if line[0] == "candidate_block")
    columns = json.loads(body) | {name: column}
    return changed(
        bundle,
        "candidate_block",
        body=json.dumps({key: one for key, one in columns.items() if one is not None}),
    )


@pytest.mark.parametrize("schema", few(range(1, 9), 2))
def test_what_any_store_holds_is_the_same_in_another(schema: int, tmp_path: Path, other: Store) -> None:
    shutil.copy(DATABASES / f"schema-{schema}.db", tmp_path / "old.db")
    with Store.open(tmp_path / "old.db") as store:
        plans = [row.id for row in store.plans(archived=True) if row.finished]
        bundle = store.bundle(plans)
        merged = other.take_in(bundle, "b")
        assert len(merged.added) == len(plans)
        assert other.bundle(plans) == store.bundle(plans[::-1]) == bundle
        for plan in plans:
            assert other.plan(plan) == store.plan(plan)
            assert other.provenance(plan) == store.provenance(plan)
            assert [one.id for one in other.studies(plan=plan)] == [one.id for one in store.studies(plan=plan)]
        assert other.take_in(bundle, "b").added == ()
        assert other.count(archived=True) == len(plans)


def test_names_that_are_taken_are_given_another(store: Store, other: Store) -> None:
    one = samples.add(store).plan.id
    store.set_name(one, "night")
    other.set_name(samples.add(other).plan.id, "night")
    assert other.take_in(store.bundle([one]), "b").renamed == (("night", "night 2"),)
    assert other.row("night 2").id == one


def test_no_folder_of_the_machine_goes_along(store: Store, other: Store) -> None:
    new = NewPlan(**samples.inputs("chat"), answer=samples.answer())
    question = replace(new.scenario.question, workload="/home/anna/secret/today.csv")
    plan = store.add_plan(replace(new, scenario=replace(new.scenario, question=question))).plan.id
    bundle = store.bundle([plan])
    assert b"anna" not in gzip.decompress(bundle)
    other.take_in(bundle, "b")
    assert other.question(plan).workload == "today.csv"
    assert other.plan(plan).candidates == store.plan(plan).candidates


def test_a_newer_bundle_is_told_so(bundle: bytes, other: Store) -> None:
    lines = lines_of(bundle)
    lines[0]["schema"] = "0099"
    with pytest.raises(InputError, match="upgrade fleettui"):
        other.take_in(packed(lines), "b")


def test_another_plan_of_the_same_id_is_refused(store: Store, bundle: bytes) -> None:
    store.take_in(bundle, "b")
    with pytest.raises(InputError, match="here already with another seed"):
        store.take_in(changed(bundle, "plan", seed=77), "b")


@cache
def bomb(_: bytes) -> bytes:
    """Return 300 kB that unpack to 300 MB of one line."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(300)), packer.flush()])


def without_digests(bundle: bytes) -> bytes:
    lines = lines_of(bundle)
    lines[-1][1]["created"] = "2026-03-02T12:00:00.000Z"
    return packed(lines, mended=False)


def strangers(bundle: bytes) -> bytes:
    """Return the bundle with inputs, well made, that no plan rests on."""
    lines = lines_of(bundle)
    place, row = next((place, line[1]) for place, line in enumerate(lines[1:], 1) if line[0] == "provenance")
    bodies = [json.dumps(json.loads(row["body"]) | {"python": str(one)}) for one in range(5)]
    lines[place:place] = [
        ["provenance", {"body": body, "digest": hashlib.sha256(body.encode()).hexdigest()}] for body in bodies
    ]
    return packed(lines)


def raw(bundle: bytes, old: bytes, new: bytes) -> bytes:
    text = gzip.decompress(bundle)
    assert old in text
    return gzip.compress(text.replace(old, new, 1))


ATTACKS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "no gzip": lambda _: b"PK\x03\x04../../etc/passwd",
    "a SQLite file": lambda _: (DATABASES / "schema-5.db").read_bytes(),
    "gzip of nothing": lambda _: gzip.compress(b""),
    "a bomb": bomb,
    "a bomb in a bomb": lambda bundle: gzip.compress(bomb(bundle)),
    "cut off": lambda bundle: bundle[:-200],
    "something behind": lambda bundle: bundle + b"more",
    "a second member": lambda bundle: bundle + gzip.compress(b"more"),
    "a deep list": lambda _: gzip.compress(b"[" * 200_000 + b"\n"),
    "a deep body": lambda bundle: changed(bundle, "plan", body="[" * 200_000 + "]" * 200_000),
    "a huge integer": lambda bundle: raw(bundle, b'"seed":', b'"seed":' + b"9" * 5000),
    "an integer of 70 bits": lambda bundle: changed(bundle, "plan", seed=2**70),
    "a huge integer in a body": lambda bundle: changed(bundle, "candidate_block", body='{"gpus":' + "9" * 5000 + "}"),
    "an endless number": lambda bundle: raw(bundle, b'"percentile":', b'"percentile":1e999,"x":'),
    "no number": lambda bundle: raw(bundle, b'"percentile":', b'"percentile":NaN,"x":'),
    "digests not mended": without_digests,
    "a wrong input": lambda bundle: changed(bundle, "workload", body="{}"),
    "an input's column": lambda bundle: changed(bundle, "workload", name="other"),
    "a cheaper plan": lambda bundle: changed(bundle, "plan", cost_per_hour=0.01),
    "a passing plan": lambda bundle: changed(bundle, "plan", verdict="fail"),
    "a faster candidate": lambda bundle: in_block(bundle, "worst.ttft", [0.001]),
    "a candidate of no time": lambda bundle: in_block(bundle, "worst.ttft", None),
    "a figure that is a text": lambda bundle: in_block(bundle, "gpus", ["16"]),
    "a figure that is a list": lambda bundle: in_block(bundle, "power", [[1.0]]),
    "a block without costs": lambda bundle: in_block(bundle, "cost_per_hour", None),
    "a block of nothing": lambda bundle: in_block(bundle, "parts", []),
    "a block of more": lambda bundle: in_block(bundle, "parts", [[[1], [1]]] * 9),
    "parts of nobody": lambda bundle: in_block(bundle, "parts", [[[10**9], [10**9]]] * 2),
    "a block of another rank": lambda bundle: changed(bundle, "candidate_block", first=2),
    "a block of no rank": lambda bundle: changed(bundle, "candidate_block", first=-(2**40)),
    "a candidate of another rank": lambda bundle: changed(bundle, "candidate", rank=77),
    "another proof": lambda bundle: changed(bundle, "verification", requests=10**9),
    "another run": lambda bundle: changed(bundle, "replication", requests=10**9),
    "a stranger's candidate": lambda bundle: changed(bundle, "candidate", plan="019ca6b1-dc00-7000-8000-000000000029"),
    "an unfinished plan": lambda bundle: changed(bundle, "plan", finished=0),
    "an escape in a name": lambda bundle: changed(bundle, "plan", name="\x1b[2Jgone"),
    "a name that is a ref": lambda bundle: changed(bundle, "plan", name="last"),
    "a name from right to left": lambda bundle: changed(bundle, "plan", name="abc\u202edef"),
    "half a character": lambda bundle: raw(bundle, b'"note":"', b'"note":"\\ud800'),
    "a long note": lambda bundle: changed(bundle, "plan", note="n" * 2001),
    "tags that are none": lambda bundle: changed(bundle, "plan", tags='{"a": 1}'),
    "tags that are lists": lambda bundle: changed(bundle, "plan", tags="[[], []]"),
    "a million lists": lambda _: gzip.compress(b"[" + b"[]," * 10**6 + b"[]]\n"),
    "a body of a million lists": lambda bundle: changed(bundle, "plan", body="[" + "[]," * 10**6 + "[]]"),
    "inputs of no plan": strangers,
    "an id that is a path": lambda bundle: changed(bundle, "plan", id="../../etc/passwd"),
    "an id of the end of time": lambda bundle: changed(bundle, "plan", id="ffffffff-ffff-7000-8000-000000000029"),
    "a time that is none": lambda bundle: changed(bundle, "plan", created="soon"),
    "a list in a column": lambda bundle: changed(bundle, "plan", name=["a"]),
    "a flag in a column": lambda bundle: changed(bundle, "plan", archived=True),
    "an SQL text": lambda bundle: changed(bundle, "plan", verdict="pass'; DROP TABLE plan; --"),
    "a histogram that is a bomb": lambda bundle: changed(
        bundle, "histogram", cells=base64_of(zlib.compress(bytes(10**8), 9))
    ),
    "a histogram of one number": lambda bundle: changed(
        bundle, "histogram", cells=base64_of(zlib.compress(b"\x80" * 10**5, 9))
    ),
    "a histogram that is none": lambda bundle: changed(bundle, "histogram", cells="%%%"),
    "a table too many": lambda bundle: raw(bundle, b'"tables":{', b'"tables":{"job":{"rows":0,"sha256":""},'),
    "too many rows": lambda bundle: raw(bundle, b'"rows":1', b'"rows":999999999'),
    "rows below none": lambda bundle: raw(bundle, b'"rows":1', b'"rows":-1'),
}


@pytest.mark.parametrize("name", few(ATTACKS, 4))
def test_an_attack_is_refused_in_words_and_leaves_nothing(name: str, bundle: bytes, other: Store) -> None:
    attack = ATTACKS[name](bundle)
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError) as refused:
        other.take_in(attack, "b.fleet")
    assert time.perf_counter() - start < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kB
    text = str(refused.value)
    assert text.startswith("b.fleet: ")
    assert len(text.splitlines()) <= 3
    assert max(map(len, text.splitlines())) < 200
    assert all(one.isprintable() for one in text.splitlines())
    assert other.count(archived=True) == 0
    with pytest.raises(InputError):
        other.workload(lines_of(bundle)[1][1]["digest"])
    assert other.take_in(bundle, "b.fleet").added


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(CHARACTERS, max_size=20)
    | st.sampled_from(["last", "\x1b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(CHARACTERS, max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.evidence
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_is_changed_is_taken_or_refused_in_words(data: st.DataObject, bundle: bytes, tmp_path: Path) -> None:
    lines = lines_of(bundle)
    line = data.draw(st.sampled_from(lines[1:]))
    name = data.draw(st.sampled_from(sorted(line[1])))
    value = data.draw(JSON)
    line[1][name] = json.dumps(value) if data.draw(st.booleans()) else value
    try:
        text = packed(lines)
    except UnicodeEncodeError:
        return
    told = ""
    with Store.open(tmp_path / f"{secrets.token_hex(8)}.db", clock=samples.clock()) as other:
        try:
            added = other.take_in(text, "b").added
        except FleettuiError as error:
            told, added = str(error), ()
        assert len(told.splitlines()) <= 3
        for plan in added:
            other.plan(plan)


@pytest.mark.parametrize("schema", [5, 7])
def test_a_bundle_of_a_schema_before_blocks_is_taken_in_whole(schema: int, other: Store) -> None:
    """That of schema 5 holds its candidates whole, that of schema 7 their parts apart."""
    past = (DATABASES.parent / "bundles" / f"schema-{schema}.fleet").read_bytes()
    (handle,) = other.take_in(past, "past").added
    with Store.open(other.path.with_name("now.db"), clock=samples.clock(), entropy=lambda: 12_345) as now:
        proved = samples.prove(now)
    assert said(other.plan(handle)) == said(proved)
    again = other.bundle([handle])
    assert other.take_in(again, "again").known == (handle,)
