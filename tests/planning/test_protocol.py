import math

import pytest

from fleettui.errors import WorkerError
from fleettui.planning.protocol import (
    KINDS,
    PROTOCOL_VERSION,
    Cancel,
    Hello,
    Log,
    Message,
    Result,
    Task,
    TaskError,
    TaskProgress,
    decode,
    encode,
)

EXAMPLES: tuple[Message, ...] = (
    Hello(version=PROTOCOL_VERSION, pid=12),
    Task(number=1, name="plan", payload={"rate": 0.1, "name": "Zürich\n2"}),
    Cancel(number=1),
    TaskProgress(number=1, message="reading", done=3, total=10),
    Result(number=1, value={"rows": [[1, 2.5], [3, None]]}),
    Log(level=30, text="two\nlines"),
    TaskError(number=1, kind="InputError", text="what\n  do: this", fields={"where": "--rate"}),
)


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: type(message).__name__)
def test_a_message_survives_the_pipe_on_one_line(message: Message) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode(line) == message


def test_every_kind_of_message_is_exercised() -> None:
    assert {type(message) for message in EXAMPLES} == set(KINDS.values())


def test_the_words_on_the_wire_are_those_of_the_design() -> None:
    assert set(KINDS) == {"hello", "task", "progress", "result", "log", "error", "cancel"}


def test_an_infinite_wait_crosses() -> None:
    assert decode(encode(Result(number=1, value={"wait": math.inf}))) == Result(number=1, value={"wait": math.inf})


NONSENSE = (
    b"hello\n",
    b"",
    b"[]\n",
    b"3\n",
    b'{"type":"shout"}\n',
    b'{"type":"cancel"}\n',
    b'{"number":1}\n',
    b"\xff\n",
)


@pytest.mark.parametrize("line", NONSENSE)
def test_what_is_no_message_is_refused_with_the_line(line: bytes) -> None:
    with pytest.raises(WorkerError, match="no message of the worker protocol"):
        decode(line)
