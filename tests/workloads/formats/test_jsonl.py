from __future__ import annotations

import pytest

from fleettui.workloads.formats.jsonl import FORMAT


@pytest.mark.parametrize("arrival", ["arrival", "timestamp", "arrival_s"])
@pytest.mark.parametrize(
    ("prompt", "output"), [("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens")]
)
def test_reads_its_documented_keys(write, arrival, prompt, output):
    line = f'{{"{arrival}": 1.5, "{prompt}": 3, "{output}": 4}}\n'
    assert FORMAT.sniff(line.encode())
    (chunk,) = FORMAT.read(write(line))
    assert chunk.arrivals is not None
    assert (chunk.arrivals.tolist(), chunk.prompt.tolist(), chunk.output.tolist()) == ([1.5], [3], [4])
