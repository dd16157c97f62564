import dataclasses
import json
from typing import Any

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_plain
from fleettui.reports.plan_json import envelope, plan_json
from fleettui.reports.plan_text import plan_text
from fleettui.reports.redundancy_text import alone
from fleettui.reports.schema_two import schema_two

TOP = {"schema", "command", "verdict", "plan", "demand", "answer", "why", "candidates", "warnings"}
PLAN = {"id", "handle", "name", "scenario", "engine_version", "seed"}
ANSWER = {
    *("candidate", "gpus", "cost_per_hour", "cost_per_million_output_tokens", "power", "gpus_range", "model_error"),
    *("fleet", "pools", "evidence"),
}
FLEET_POOL = {
    *("name", "gpu", "model", "dtype", "tp", "replicas", "context", "concurrency", "max_num_seqs", "token_budget"),
    *("above", "up_to", "profile"),
}
PROFILE = {"base_step_time", "time_per_context_token", "time_per_prompt_token", "kv_blocks"}
FIGURES = {
    *("name", "arrival_rate", "utilization", "batch", "probability_of_wait", "wait", "prefill", "ttft", "tpot", "e2e"),
    *("mfu", "bandwidth_use", "limited_by"),
}
EVIDENCE = {"method", "replications", "requests", "verdict", "ttft", "attainment", "pools"}
POOL_EVIDENCE = {"name", "ttft", "tpot", "utilization", "batch", "rejected", "mfu"}
INTERVAL = {"value": 0.443, "low": 0.439, "high": 0.447}


def test_the_keys_of_schema_1(answer: Answer, proven: Candidate) -> None:
    plain = plan_json(dataclasses.replace(answer, answer=proven))
    assert plain.keys() >= TOP
    assert (plain["schema"], plain["command"], plain["verdict"]) == (1, "plan", "pass")
    assert plain["plan"].keys() >= PLAN
    assert plain["demand"].keys() >= {"rate", "arithmetic"}
    found = plain["answer"]
    assert found.keys() >= ANSWER
    assert found["fleet"].keys() >= {"router", "gamma", "admission", "pools"}
    assert found["fleet"]["pools"][0].keys() >= FLEET_POOL
    assert found["fleet"]["pools"][0]["profile"].keys() == PROFILE
    assert found["pools"][0].keys() >= FIGURES
    assert found["evidence"].keys() >= EVIDENCE
    assert found["evidence"]["ttft"] == INTERVAL
    assert (found["evidence"]["method"], found["evidence"]["verdict"]) == ("simulation", "pass")
    assert found["evidence"]["pools"][1]["ttft"] == INTERVAL
    assert found["evidence"]["pools"][0].keys() >= POOL_EVIDENCE
    assert all(one.keys() >= ANSWER | {"handle"} for one in plain["candidates"])


def test_what_limits_a_pool_is_what_its_table_says(answer: Answer, failed: Candidate, question: Question) -> None:
    """Found: of a fleet whose TPOT is far over its limit as simulated it was "TTFT: waiting", by formula."""
    assert failed.evidence is not None
    (own,) = failed.evidence.pools
    own = dataclasses.replace(own, tpot=dataclasses.replace(own.tpot, value=0.2, low=None, high=None))
    seen = dataclasses.replace(failed, evidence=dataclasses.replace(failed.evidence, pools=(own,)))
    shown = dataclasses.replace(answer, answer=seen, candidates=(seen, *answer.candidates))
    plain = plan_json(shown, "show", question)
    assert failed.pools[0].limited_by != "TPOT"
    assert [one["pools"][0]["limited_by"] for one in (plain["answer"], plain["candidates"][0])] == ["TPOT", "TPOT"]


def test_infeasible_has_no_answer_and_the_nearest(infeasible: Answer) -> None:
    plain = plan_json(infeasible)
    assert plain["answer"] is None
    assert [one["handle"] for one in plain["candidates"]] == ["41b3"]


def test_undefined_is_null(best: Candidate) -> None:
    undefined = dataclasses.replace(best.pools[0], tpot=float("nan"), wait=float("inf"))
    plain = to_plain(dataclasses.replace(best, pools=(undefined, best.pools[1])))
    assert plain["pools"][0]["tpot"] is None
    assert plain["pools"][0]["wait"] is None
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_every_envelope_names_schema_and_command() -> None:
    plain: dict[str, Any] = envelope("gpu list", gpus=(1, 2))
    assert plain == {"schema": 1, "command": "gpu list", "gpus": [1, 2]}


def test_the_warnings_are_those_of_the_text(answer: Answer, proven: Candidate, question: Question) -> None:
    pool, *others = proven.fleet.pools
    pools = (dataclasses.replace(pool, replicas=1), *others)
    small = dataclasses.replace(proven, fleet=dataclasses.replace(proven.fleet, pools=pools))
    shown = dataclasses.replace(answer, answer=small, warnings=("the rate is high",))
    (node,) = [one for one in alone(small.fleet, question) if "fits in one node of 8 GPUs" in one]
    told = ["pool short has one replica: one failure stops it", node, "the rate is high"]
    plain = plan_json(shown, "show", question)
    assert plain["warnings"] == told
    assert plan_json(dataclasses.replace(shown, warnings=tuple(told)), "show", question)["warnings"] == told
    assert schema_two(plain)["warnings"] == told
    assert "pool short has one replica: one failure stops it" in plan_text(shown, question, 120)
