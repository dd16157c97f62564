"""The server command of each pool, as a shell script with the reason of each argument."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import partial

from fleettui.reports.handoff import texts
from fleettui.reports.handoff.model import Format, HandoffFile, PoolPlan, Subject
from fleettui.reports.handoff.servers import SERVERS
from fleettui.reports.handoff.servers.server import Server

MODEL = "the weights: set MODEL to their path or name"
NODES = "the nodes: set RANK (0 on the first) and FIRST, its address, on each"
SPANS = "how this engine starts over several nodes is not written here; it needs its own launcher"
HERE = 'here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)'


def _write(subject: Subject, server: Server) -> tuple[HandoffFile, ...]:
    return tuple(file for part in subject.pools for file in _files(subject, server, part))


def _files(subject: Subject, server: Server, part: PoolPlan) -> Iterator[HandoffFile]:
    name, unknown = f"{server.name}-{part.slug}", [MODEL]
    if part.nodes > 1:
        unknown.append(NODES if server.spanning else SPANS)
    above = (
        *texts.head(subject, *unknown),
        texts.of_pool(subject, part),
        f"one replica{f' over {part.nodes} nodes' if part.nodes > 1 else ''}: start {part.replicas} of them",
    )
    text = texts.script(above, _lines(subject, server, part, f"{name}.yaml"))
    yield HandoffFile(name=f"{name}.sh", about="the server command of one replica", text=text)
    if server.settings is not None:
        options = texts.Document((), server.settings(subject, part))
        yield HandoffFile(
            name=f"{name}.yaml",
            about="the server's options",
            text=texts.yaml_text((*texts.head(subject), texts.of_pool(subject, part)), [options]),
        )


def _lines(subject: Subject, server: Server, part: PoolPlan, settings: str) -> Iterator[str]:
    yield ': "${MODEL:?set MODEL to the path or the name of the weights}"'
    spans = part.nodes > 1 and server.spanning is not None
    if spans:
        yield ': "${RANK:?set RANK to the place of this node, 0 the first}"'
        yield ': "${FIRST:?set FIRST to the address of the first node}"'
    yield texts.array("arguments", ((one.words, one.reason) for one in server.arguments(subject, part)))
    if server.settings is not None:
        yield HERE
        yield f'arguments+=({server.settings_argument} "$here/{settings}")'
    if spans and server.spanning is not None:
        words = server.spanning(part.nodes, "RANK", "FIRST")
        yield f"arguments+=({' '.join(map(_variable, words))})"
        if server.following:
            yield f'if [ "$RANK" != 0 ]; then arguments+=({shlex.join(server.following)}); fi'
    yield f'exec {shlex.join(server.program)} "$MODEL" "${{arguments[@]}}" "$@"'


def _variable(word: str) -> str:
    """Return a word, with RANK and FIRST as what the shell has under these names."""
    return f'"{word.replace("RANK", "$RANK").replace("FIRST", "${FIRST}")}"'


FORMATS = tuple(
    Format(name=one.name, help=one.help, write=partial(_write, server=one), engine=one.name) for one in SERVERS
)
