"""A program on a pseudo-terminal whose every byte is counted, and what it costs the machine."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 60.0
QUIET = 0.15
"""Seconds without a byte after which a screen is thought to be drawn."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What followed a key: seconds until the last byte, how many there were, and they themselves."""

    seconds: float
    bytes: bytes


class Program:
    """A program that runs until `close`."""

    def __init__(self, command: tuple[str, ...], environment: Mapping[str, str], size: tuple[int, int]) -> None:
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (size[1], size[0]))
        self._closed = False
        self._process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)

    def until(self, words: bytes) -> float:
        """Read until the program has written some bytes; return how many seconds it took."""
        begun, written = time.perf_counter(), b""
        while words not in written:
            assert time.perf_counter() - begun < PATIENCE, f"never wrote {words!r}, but {written[-2000:]!r}"
            written += self._read(0.5)
        return time.perf_counter() - begun

    def press(self, keys: bytes, words: bytes = b"") -> Drawn:
        """Press keys, and read until `words` have come, if any, and nothing more comes for a while."""
        begun = last = time.perf_counter()
        os.write(self._master, keys)
        written = b""
        while words not in written or not written or time.perf_counter() - last < QUIET:
            assert time.perf_counter() - begun < PATIENCE, f"{keys!r} never drew {words!r}, but {written[-2000:]!r}"
            if piece := self._read(0.01):
                written, last = written + piece, time.perf_counter()
        return Drawn(seconds=last - begun, bytes=written)

    def answer(self, key: bytes, words: bytes) -> float:
        """Return how many seconds pass from a key to the first bytes that hold `words`."""
        self.rest()
        begun = time.perf_counter()
        os.write(self._master, key)
        self.until(words)
        return time.perf_counter() - begun

    def rest(self) -> None:
        """Read what has been written until now."""
        while self._read(0):
            pass

    def memory(self) -> float:
        """Return the memory that the program holds, in MB."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024 / 1e6

    def processor_seconds(self) -> float:
        """Return how much of the processor the program has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def close(self) -> None:
        """Let it leave; end it where it does not. What is closed stays so."""
        if self._closed:
            return
        self._closed = True
        self._process.terminate()
        deadline = time.monotonic() + 10
        while self._process.poll() is None and time.monotonic() < deadline:
            self._read(0.05)
        self._process.kill()
        self._process.wait(10)
        os.close(self._master)

    def _read(self, seconds: float) -> bytes:
        if not select.select((self._master,), (), (), seconds)[0]:
            return b""
        try:
            return os.read(self._master, 1 << 16)
        except OSError:  # the program has ended
            return b""
