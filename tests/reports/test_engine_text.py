from fleettui.hardware import catalog
from fleettui.reports.engine_text import engine_text, engines_table
from fleettui.reports.table import render

GPUS = tuple(map(catalog.gpu, ("a100", "h100", "h200")))


def test_gpus_with_the_same_settings_are_told_together() -> None:
    lines = render(engines_table(catalog.engines_on(GPUS)), 120).splitlines()
    row = next(line for line in lines if line.startswith("vllm"))
    assert row.endswith("2,048 and 256 on a100; 8,192 and 1,024 on h100 h200")


def test_what_an_engine_never_adds_is_left_out() -> None:
    assert "with prompts  " in engine_text(catalog.engine("vllm"), GPUS)
    assert "17 us a layer, 12 us more of those with experts" in engine_text(catalog.engine("vllm"), GPUS)
    assert "with experts" not in engine_text(catalog.engine("sglang"), GPUS)
    assert "with prompts" not in engine_text(catalog.engine("sglang"), GPUS)


def test_every_level_is_told_with_its_cache() -> None:
    told = engine_text(catalog.engine("trtllm"), GPUS, 160)
    assert "benchmark     1,536 and 2,048 on a100; 1,536 and 2,048 with an fp8 cache on h100 h200" in told
    assert "tuned         2,048 and 512 on a100 h100 h200" in told


def test_what_an_engine_has_of_its_own_on_some_gpus_is_told() -> None:
    told = " ".join(engine_text(catalog.engine("trtllm"), [catalog.gpu("h100")], 80).split())
    assert "latent 2.9 ms a layer at least for prompts on h100 h200; 1.4 ms a layer at least for prompts on" in told
    assert "of their own 16 us a layer, 8.0 us a sequence, 30 ms a request on b200 gb200 b300 gb300" in told
    amd = " ".join(engine_text(catalog.engine("sglang"), [catalog.gpu("h100")], 80).split())
    assert "0.26 ms more of a layer, 5.0 ms a layer at least for prompts on mi300x mi325x" in amd


def test_what_an_engine_does_where_nobody_sets_anything_is_told() -> None:
    told = {
        name: " ".join(engine_text(catalog.engine(name), GPUS, 160).split()) for name in ("vllm", "sglang", "trtllm")
    }
    assert "memory 90% on a100 h100 h200: weights, activations, buffers and cache" in told["vllm"]
    assert "benchmark memory 90% on a100; 95% on h100 h200" in told["vllm"]
    assert (
        "memory 82% on a100 h100; 90% on h200: weights, buffers and cache; activations have the rest" in told["sglang"]
    )
    assert "90% on a100 h100 h200: of what weights, activations and buffers leave, for the cache" in told["trtllm"]
    assert "blocks of 16 tokens prefixes kept" in told["vllm"]
    assert "blocks of 1 token prefixes kept" in told["sglang"]
    assert "blocks of 32 tokens prefixes kept" in told["trtllm"]
    assert "prompts in steps of their own" in told["sglang"]
    assert "prompts whole, once a step has room for all of one" in told["trtllm"]
    assert "graphs of steps of 1 to 128 tokens, 19 sizes" in told["trtllm"]
    for text in told.values():
        assert "new requests looked for every 1 step" in text
        assert "source division: " in text
        assert "source polling: " in text
