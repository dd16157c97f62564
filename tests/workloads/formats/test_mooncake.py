from __future__ import annotations

from fleettui.workloads.formats.mooncake import FORMAT

LINE = '{"timestamp": 3000, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1]}\n'


def test_reads_milliseconds(write):
    (chunk,) = FORMAT.read(write(LINE * 2))
    assert chunk.arrivals is not None
    assert chunk.arrivals.tolist() == [3.0, 3.0]
    assert (chunk.prompt.tolist(), chunk.output.tolist()) == ([6758] * 2, [500] * 2)


def test_is_known_by_its_keys():
    assert FORMAT.sniff(LINE.encode())
    assert not FORMAT.sniff(b'{"input_length": 6758, "output_length": 500}\n')
    assert not FORMAT.sniff(b'{"timestamp": 3000, "input_tokens": 6758, "output_tokens": 500}\n')
