"""Catalogue files as values: what is missing or mistyped is refused by file and key."""

from dataclasses import replace

import pytest

from fleettui.domain.hardware import TUNINGS, Tuning
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.engine_record import engine_from
from fleettui.hardware.engine_terms import EngineTerms
from fleettui.hardware.latent_terms import latent_of, latent_terms
from fleettui.hardware.records import Record, model_from, parse

FIELD = 'value = 1.0\nsource = "a page"\nconfidence = "low"\n'
SETTINGS = (
    '[[settings]]\ntoken_budget = 4096\nmax_num_seqs = 64\nmemory_share = 0.9\nsource = "a page"\nconfidence = "low"\n'
)
LARGE = SETTINGS.replace("[[settings]]", '[[settings]]\nleast_memory = 80e9\nexcluded = ["a100"]').replace("64", "512")
NAMES = ("step", "layer", "logit", "eager_least", "eager_extra", "factor", "expert_layer")
TERMS = "[terms]\n" + "".join(f"{name} = {place}e-6\n" for place, name in enumerate(NAMES)) + FIELD.partition("\n")[2]
FRONT = f"[front_end]\noutput_token = 1e-4\n{FIELD}"
RULES_SAID = {
    "cache": 'kv_dtype = "bf16"\nblock_size = 16\nprefix_caching = true\nkeeps_all = false\n',
    "memory": 'of = "all"\n',
    "chunks": 'rule = "shared"\n',
    "division": 'lanes = "groups"\nexperts = "groups"\nof_all_lanes = false\n',
    "polling": "steps = 1\n",
}
CITED = 'source = "a page"\nconfidence = "low"\n'
RULES = "".join(f"[{name}]\n{said}{CITED}" for name, said in RULES_SAID.items())
GRAPHS = f'[graphs]\nbins = "1,2,4"\nper_sequence = 1\n{CITED}'
BENCH = f"[bench]\ntoken_budget = 0\nscatter = 0.1\n{FIELD}"
ENGINE = f'name = "mine"\nversion = "1"\n[overhead]\n{FIELD}{TERMS}{FRONT}{BENCH}{RULES}{GRAPHS}{LARGE}{SETTINGS}'


def test_an_engine_is_read_with_its_citations() -> None:
    engine = engine_from(parse(ENGINE, "mine.toml"))
    assert (engine.name, engine.version, engine.overhead) == ("mine", "1", 1.0)
    assert engine.terms == EngineTerms(
        step=0.0, layer=1e-6, logit=2e-6, eager_least=3e-6, eager_extra=4e-6, factor=5e-6, expert_layer=6e-6
    )
    assert (engine.front_end.request, engine.front_end.output_token) == (1.0, 1e-4)
    assert engine.front_end.citation.field == "front_end"
    assert (engine.bench.scatter, engine.bench.budget(4000, 16)) == (0.1, 4116)
    found = {gpu: engine.settings_on(catalog.gpu(gpu)).settings.max_num_seqs for gpu in ("h100", "a100", "l40s")}
    assert found == {"h100": 512, "a100": 64, "l40s": 64}
    assert [(one.field, one.source, one.confidence) for one in engine.citations] == [
        ("overhead", "a page", "low"),
        ("terms", "a page", "low"),
        *((name, "a page", "low") for name in ("cache", "memory", "chunks")),
    ]
    assert [one.field for one in engine.settings_citations(catalog.gpu("h100"), "stock")] == ["settings", "settings"]


def test_settings_of_a_level_are_the_first_that_suit_the_gpu_and_its_cache() -> None:
    level = 'level = "benchmark"\n'
    plain = SETTINGS.replace("64", "128") + level
    engine = engine_from(parse(f'{ENGINE}{plain.replace("128", "999")}kv_dtype = "fp8"\n{plain}', "mine.toml"))
    found = {name: engine.settings_on(catalog.gpu(name), "benchmark") for name in ("h100", "a100")}
    assert {name: (one.settings.max_num_seqs, one.kv_dtype) for name, one in found.items()} == {
        "h100": (999, "fp8"),
        "a100": (128, None),
    }
    assert engine.settings_citations(catalog.gpu("h100"), "benchmark") == (found["h100"].citation,)


def test_what_is_fused_at_a_level_is_built_so_and_takes_the_likeliest_token() -> None:
    level = SETTINGS + 'level = "benchmark"\n'
    engine = engine_from(parse(f'{ENGINE}{level}fused = true\nkv_dtype = "fp8"\n{level}', "mine.toml"))
    built = {
        (name, at): engine.built(catalog.gpu(name), at) for name in ("h100", "a100") for at in ("stock", "benchmark")
    }
    assert built["h100", "benchmark"].fused
    assert built["h100", "benchmark"].terms == replace(engine.terms, logit=0.0)
    assert {one == engine for key, one in built.items() if key != ("h100", "benchmark")} == {True}


OF_ITS_OWN = 'source = "a page of its own"\nconfidence = "low"\n'


def test_gpus_with_terms_of_their_own_are_built_with_them_and_their_source() -> None:
    own = f'[[own]]\ngpus = ["b200"]\nlogit = 3e-11\nlayer = 9e-6\nfront_end = 7e-3\n{OF_ITS_OWN}'
    engine = engine_from(parse(f'{ENGINE}level = "benchmark"\nfused = true\n{SETTINGS}{own}', "mine.toml"))
    assert engine.built(catalog.gpu("h100"), "stock") == engine
    built = engine.built(catalog.gpu("b200"), "stock")
    assert built.terms == replace(engine.terms, logit=3e-11, layer=9e-6)
    assert built.front_end == replace(engine.front_end, request=7e-3)
    assert [one.source for one in built.citations if one.field == "terms.own"] == ["a page of its own"]
    assert engine.built(catalog.gpu("b200"), "benchmark").terms.logit == 0.0


def test_latent_attention_has_terms_of_its_own_on_some_gpus() -> None:
    engine, latent, other = catalog.engine("sglang"), catalog.model("deepseek-v3"), catalog.model("llama-3.1-70b")
    (known,) = (one for one in latent_of("sglang") if "mi300x" in one.gpus)
    terms = engine.built(catalog.gpu("mi300x"), "stock").terms
    assert terms.every_step(latent) == pytest.approx(engine.terms.every_step(latent) + 61 * known.layer)
    assert (terms.least_prompt(latent), terms.compute_share(latent)) == (61 * known.prompt_layer, known.compute_share)
    for plain, model in ((terms, other), (engine.built(catalog.gpu("a100"), "stock").terms, latent)):
        assert plain.every_step(model) == engine.terms.every_step(model)
        assert (plain.least_prompt(model), plain.compute_share(model)) == (engine.terms.least_prompt(model), None)


def test_latent_terms_are_of_engines_and_gpus_of_the_catalogue_once_each() -> None:
    every = [(engine, gpu) for one in latent_terms() for engine in one.engines for gpu in one.gpus]
    assert len(every) == len(set(every))
    assert {engine for engine, _ in every} <= set(catalog.engine_names())
    assert {gpu for _, gpu in every} <= set(catalog.gpu_names())


def test_requests_wait_for_an_engine_that_looks_for_them_now_and_then() -> None:
    bench = catalog.engine("sglang").bench
    assert [bench.steps_waited("b200", clients) for clients in (1, 15, 16, 500)] == [5.0, 5.0, 15.0, 15.0]
    assert bench.steps_waited("h200", 64) == 0.0


def test_recipes_hand_out_tokens_together_and_begin_prompts_of_lanes_together() -> None:
    bench = catalog.engine("trtllm").bench
    assert (bench.handed_out("b200"), bench.handed_out("h200")) == (10, 1)
    assert [bench.lanes_waited("b200", lanes, 4.0) for lanes in (1, 2, 8, 16)] == [0.0, 4.0, 16.0, 30.0]
    assert bench.lanes_waited("h200", 8, 4.0) == 0.0


@pytest.mark.parametrize("name", catalog.engine_names())
@pytest.mark.parametrize("level", TUNINGS)
def test_every_engine_has_settings_of_every_level_for_every_gpu(name: str, level: Tuning) -> None:
    engine = catalog.engine(name)
    for gpu in catalog.gpus():
        own = engine.settings_on(gpu, level)
        assert own.settings.token_budget >= 1024
        assert own.citation.source
        assert own.kv_dtype != "fp8" or gpu.peak_fp8 is not None


def test_prompts_run_alone_where_the_engine_says_so() -> None:
    text = ENGINE.replace('rule = "shared"', 'rule = "own"')
    assert engine_from(parse(text, "mine.toml")).settings_on(catalog.gpu("h100")).settings.alone
    shipped = {name: catalog.engine(name).settings_on(catalog.gpu("h100")) for name in catalog.names("engines")}
    assert [name for name, level in shipped.items() if level.settings.alone] == ["sglang"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ENGINE.replace('rule = "shared"', 'rule = "apart"'),
            r"\[chunks\]: unknown rule \(got 'apart'\)\n .*shared, own, whole",
        ),
        (ENGINE.replace('of = "all"', 'of = "most"'), r"\[memory\]: unknown of \(got 'most'\)\n .*all, static, free"),
        (ENGINE.replace('lanes = "groups"', 'lanes = "nodes"'), r"\[division\]: unknown lanes .*gpu, groups"),
        (ENGINE.replace('experts = "groups"', "experts = 8"), r"\[division\]: key experts is missing or no text"),
        (ENGINE.replace("of_all_lanes = false\n", ""), r"\[division\]: key of_all_lanes is missing\n.*true or false"),
        (ENGINE.replace("block_size = 16", "block_size = 24"), r"\[cache\]: block_size cannot be this .*power of two"),
        (ENGINE.replace("block_size = 16", "block_size = 128"), r"\[cache\]: block_size cannot be this .*power of two"),
        (ENGINE.replace("prefix_caching = true\n", ""), r"\[cache\]: key prefix_caching is missing\n.*true or false"),
        (ENGINE.replace("keeps_all = false", "keeps_all = 1"), r"\[cache\]: key keeps_all is neither true nor false"),
        (ENGINE.replace("steps = 1\n", "steps = 0\n"), r"\[polling\]: steps cannot be this .*1 to 1000 steps"),
        (
            ENGINE.replace("memory_share = 0.9", "memory_share = 90"),
            r"\[\[settings\]\] 1: memory_share cannot be this .*above 0 and up to 1",
        ),
        (ENGINE.replace("memory_share = 0.9", ""), r"\[\[settings\]\] 1: what an engine takes is said once .*either"),
        (ENGINE.replace("memory_share = 0.9", "memory_reserve = 1e12"), r"memory_reserve cannot be this .*1e11 bytes"),
        (ENGINE.replace("[graphs]", "[graph]"), r"table \[graphs\] is missing"),
        (ENGINE.replace('name = "mine"\n', ""), "key name"),
        (ENGINE.replace("value = 1.0", 'value = "1"'), "key value is missing or no number"),
        (ENGINE.replace("value = 1.0", "value = true"), "key value is missing or no number"),
        (ENGINE.replace('source = "a page"\n', ""), "key source"),
        (ENGINE.replace('"low"', '"certain"'), "unknown confidence"),
        ("name = ", "no valid TOML"),
        ('name = "mine"\n', r"table \[overhead\] is missing"),
        (ENGINE.replace("[terms]", "[words]"), r"table \[terms\] is missing"),
        (ENGINE.replace("layer = 1e-6", ""), "key layer is missing or no number"),
        (ENGINE.replace("[front_end]", "[front]"), r"table \[front_end\] is missing"),
        (ENGINE.replace("output_token", "token"), "key output_token is missing or no number"),
        (ENGINE.replace("[bench]", "[other]"), r"table \[bench\] is missing"),
        (ENGINE.replace("settings]]", "others]]"), r"tables \[\[settings\]\] are missing"),
        (ENGINE.replace('excluded = ["a100"]', "excluded = [1]"), "key excluded is no list of texts"),
        (f'{ENGINE}level = "fast"', "unknown level"),
        (f'{ENGINE}kv_dtype = "fp4"', "unknown kv_dtype"),
        (ENGINE.replace('kv_dtype = "bf16"', 'kv_dtype = "bf17"'), r"\[cache\]: unknown kv_dtype"),
    ],
)
def test_a_broken_engine_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"(?s){message}") as caught:
        engine_from(parse(text, "mine.toml"))
    assert "mine.toml" in str(caught.value)


def test_a_model_without_config_is_refused() -> None:
    with pytest.raises(InputError, match=r"table \[config\] is missing"):
        model_from(Record({"name": "x"}, "x.toml"))


def test_sglang_cuts_prompts_by_the_memory_of_the_gpu() -> None:
    sglang = catalog.engine("sglang")
    found = {
        name: sglang.settings_on(catalog.gpu(name)).settings.token_budget for name in ("a10g", "l40s", "h100", "h200")
    }
    assert found == {"a10g": 2048, "l40s": 4096, "h100": 8192, "h200": 8192}
    assert {sglang.settings_on(catalog.gpu(name)).settings.token_budget for name in ("b200", "mi300x")} == {16_384}
