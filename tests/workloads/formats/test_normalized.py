from __future__ import annotations

from fleettui.workloads.formats.normalized import FORMAT


def test_is_known_by_its_header():
    assert FORMAT.sniff(b"arrival_s,input_tokens,output_tokens,client_id\n0,1,2,3\n")
    assert FORMAT.sniff(b"input_tokens,output_tokens\r\n")
    assert not FORMAT.sniff(b"arrival_s,input_tokens\n")
    assert not FORMAT.sniff(b'{"input_tokens": 1, "output_tokens": 2}\n')


def test_reads_the_shipped_form(write):
    (chunk,) = FORMAT.read(write("arrival_s,input_tokens,output_tokens,prefix_hashes\n0.000,6758,500,0 1 2\n"))
    assert chunk.arrivals is not None
    assert (chunk.arrivals.tolist(), chunk.prompt.tolist(), chunk.output.tolist()) == ([0.0], [6758], [500])
