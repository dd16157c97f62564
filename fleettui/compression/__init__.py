"""The prompt compressor of Compress-and-Route: sentences chosen by classical scores, nothing written anew.

A prompt becomes pieces (`content`), whose parts in prose are sentences (`sentences`); sentences are scored (`scores`)
and taken in the order of their scores until the budget is used (`compressor`), counted by a `tokens` counter. What the
rest still says is measured by `fidelity`. `prompts` reads files of prompts, `generate` makes some.
What is compiled stands in one file with all that it calls, where numba itself sees an edit.
After FleetOpt (arXiv:2603.16514, section 5.2 and appendix C).
"""
