"""The compressor's times beside FleetOpt's Table 4: `pytest tests/benchmarks --benchmark-only -n 0 -k compressing`.

Table 4 was measured on one core of an Intel Xeon Platinum 8568Y+; --benchmark-json names the machine that runs this.
"""

from collections.abc import Callable

import pytest

from fleettui.compression.compressor import Part, compress
from fleettui.compression.generate import prompt
from fleettui.compression.tokens import ByteCounter

Benchmark = Callable[..., object]
OUTPUT, COUNTER = 300, ByteCounter()
TABLE_4 = {
    1536: "lmsys, printed p50 1.2 ms",
    4096: "azure, printed p50 1.8 ms",
    8192: "agent-heavy, printed p50 3.4 ms",
}
"""The splits and what is printed of them."""


@pytest.mark.benchmark(group="compressing a borderline prompt of prose at 1.25 times the split")
@pytest.mark.parametrize("split", TABLE_4, ids=TABLE_4.get)
def test_compressing(benchmark: Benchmark, split: int) -> None:
    asked = (Part(prompt("prose", int((1.25 * split - OUTPUT) * 4.65), 1).text),)
    found = benchmark(compress, asked, split - OUTPUT, COUNTER)
    assert found.reason is None  # type: ignore[attr-defined]
