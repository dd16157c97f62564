import dataclasses

from fleettui.domain.plan import Candidate, Estimate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.pools_table import known_table, pools_block, pools_table, proof_table, sizes_table
from fleettui.reports.table import render
from tests.reports.conftest import routing_text


def test_by_formula_one_table_tells_all(best: Candidate, question: Question) -> None:
    assert pools_block(best, question) == [pools_table(best, question)]


def test_formula_and_simulation_stand_under_one_another(proven: Candidate, question: Question) -> None:
    assert proven.evidence is not None
    table = proof_table(proven, proven.evidence, dataclasses.replace(question, slo=Slo(e2e=10.0)))
    assert [column.title for column in table.columns[-3:]] == ["P99 TTFT", "P99 TPOT", "P99 E2E"]
    assert table.rows[:2] == (
        ("short", "formula", ".81", "133", ".44", "0.41 s", " 34 ms", " 9.1 s"),
        ("", "simulated", ".80", "131", ".43", "0.44 s +-0.9%", " 34 ms +-3%", " 9.3 s +-1%"),
    )
    assert max(map(len, render(table, 80).splitlines())) <= 80


def test_a_limit_at_a_percentile_of_its_own_has_its_column(proven: Candidate, question: Question) -> None:
    assert proven.evidence is not None
    asked = dataclasses.replace(question, slo=Slo(ttft=0.5, further=(("ttft.p50", 0.2),)))
    table = proof_table(proven, proven.evidence, asked)
    assert [column.title for column in table.columns[-3:]] == ["P99 TTFT", "P99 TPOT", "P50 TTFT"]
    assert [row[-1].strip() for row in table.rows[:2]] == ["-", "-"], "nobody looked at it before there was a limit"
    seen = dataclasses.replace(
        proven.evidence.pools[0], further=(("ttft.p50", Estimate(value=0.12, low=0.12, high=0.12)),)
    )
    table = proof_table(proven, dataclasses.replace(proven.evidence, pools=(seen, proven.evidence.pools[1])), asked)
    assert table.rows[1][-1] == "0.12 s +-0%"


def test_what_keeps_a_pool_from_being_smaller(best: Candidate, question: Question) -> None:
    assert sizes_table(best, question).rows[1] == ("long", "8 H100 tp4 x2", "8.30", "KV memory")


def test_what_keeps_a_proven_pool_from_being_smaller_is_what_its_simulation_shows(
    proven: Candidate, question: Question
) -> None:
    assert proven.evidence is not None
    near = [
        dataclasses.replace(pool, verdict="pass", ttft=Estimate(value=0.49, low=0.48, high=0.499))
        for pool in proven.evidence.pools
    ]
    seen = dataclasses.replace(proven, evidence=dataclasses.replace(proven.evidence, pools=tuple(near)))
    assert [row[-1] for row in sizes_table(seen, question).rows] == ["TTFT", "TTFT"]
    assert [row[-1] for row in known_table(seen, question).rows] == ["TTFT", "TTFT"]
    assert [row[-1] for row in pools_table(seen, question).rows] == ["prefill compute", "KV memory"], "by formula"


def test_what_was_lost_is_told_and_what_is_unknown_is_a_dash(proven: Candidate, question: Question) -> None:
    assert proven.evidence is not None
    short, long = proven.evidence.pools
    short = dataclasses.replace(
        short, rejected=1200, timed_out=240, offered=480_000, mfu=None, batch=0.44, ttft=Estimate(value=None)
    )
    long = dataclasses.replace(long, preemptions=0.4123)
    table = proof_table(proven, dataclasses.replace(proven.evidence, pools=(short, long)), question)
    assert table.note == (
        "not served, and in no latency: short 0.3 % of 480,000 (1,200 rejected, 240 timed out); "
        "preemptions per 1,000 requests: long 0.412"
    )
    assert table.rows[1][3:6] == ("0.4", "-", "     -")
    seen = dataclasses.replace(proven, evidence=dataclasses.replace(proven.evidence, pools=(short, long)))
    for shown in (known_table(seen, question).note, routing_text(seen, question)):
        assert "not served, and in no latency: short 0.3 % of 480,000" in " ".join(shown.split())


def test_on_the_screen_a_pool_is_one_line_of_what_is_known_best(
    best: Candidate, proven: Candidate, question: Question
) -> None:
    formula, seen = known_table(best, question), known_table(proven, question)
    assert [column.title for column in seen.columns] == [column.title for column in pools_table(best, question).columns]
    assert formula.rows[0][3:] == (".81", ".44", "0.41 s", "34 ms", "prefill compute")
    assert seen.rows[0][3:] == (".80", ".43", "0.44 s", "34 ms", "prefill compute")
    assert pools_table(best, question).note == "requests by total tokens: short up to 4,096, long up to 16,384"


def test_on_the_screen_the_split_is_left_out_and_metrics_have_their_percentile(
    proven: Candidate, question: Question
) -> None:
    table = known_table(proven, dataclasses.replace(question, slo=Slo(e2e=10.0, percentile=0.95)))
    assert [column.title for column in table.columns[5:]] == ["P95 E2E", "limited by"]
    assert table.rows[0][5] == "9.3 s"
    both = known_table(proven, dataclasses.replace(question, slo=Slo(ttft=0.5, e2e=10.0)))
    assert [column.title for column in both.columns[5:7]] == ["P99 TTFT", "P99 E2E"]
    assert table.note == ""
    assert max(map(len, render(table, 80).splitlines())) <= 80


def test_compression_spares_and_formats_are_told(best: Candidate, question: Question) -> None:
    first, second = best.fleet.pools
    pools = (dataclasses.replace(first, spares=1), second)
    fleet = dataclasses.replace(best.fleet, gamma=1.5, compressible=0.75, pools=pools)
    table = sizes_table(dataclasses.replace(best, fleet=fleet), dataclasses.replace(question, dtype="auto"))
    assert table.rows[0][1].endswith("x4+1")
    for words in (
        "up to 1.5 times",
        "75% of the requests",
        "4+1: 4 serve at the peak, 1 stands by",
        "number format: short",
    ):
        assert words in table.note


def test_the_format_of_the_cache_is_told_where_it_was_asked_for_or_is_not_bf16(
    best: Candidate, question: Question
) -> None:
    short, long = best.fleet.pools
    asked = dataclasses.replace(question, kv_dtype="bf16")
    assert "KV cache: bf16; " not in (pools_table(best, question).note or "")
    assert (pools_table(best, asked).note or "").endswith("; KV cache: bf16")
    for pools, told in (
        ((short, dataclasses.replace(long, kv_dtype="fp8")), "KV cache: short bf16, long fp8"),
        (tuple(dataclasses.replace(one, kv_dtype="fp8") for one in (short, long)), "KV cache: fp8"),
    ):
        fleet = dataclasses.replace(best.fleet, pools=pools)
        assert told in (pools_table(dataclasses.replace(best, fleet=fleet), question).note or "")


def test_experts_that_are_spread_are_told(best: Candidate, question: Question) -> None:
    pools = tuple(dataclasses.replace(one, expert_parallel=True) for one in best.fleet.pools)
    spread = dataclasses.replace(best, fleet=dataclasses.replace(best.fleet, pools=pools))
    assert "each GPU holds some experts whole" in (pools_table(spread, question).note or "")
    assert "experts" not in (pools_table(best, question).note or "")
