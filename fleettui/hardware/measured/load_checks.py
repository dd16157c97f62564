"""Whether a run had the load that it states, by its own figures: what was asked for, what ended, how long it took."""

from __future__ import annotations

from fleettui.errors import InputError

KEPT_UP = 0.8
"""Least share of the asked load that was there; below it the client or the server was saturated."""
BUSIEST = 1.5
"""Most requests under way of each client, by means that are not of the same moments."""
BEYOND = 40.0
"""Clients asked for over those busy beyond which a time in another unit is likelier than idle clients."""
FAILED = 0.05
"""Most requests of a run that may have failed."""


def check_failed(requests: float | None, failed: float) -> None:
    """Raise InputError where too many of a run's requests failed beside those that ended well."""
    if failed > FAILED * (failed + (requests or 0.0)):
        raise InputError(f"{failed:g} requests failed of {failed + (requests or 0.0):g}")


def check_rate(rate: float, sent: float | None) -> None:
    """Raise InputError where much fewer requests a second were sent than asked for: its times are of another load."""
    if sent is not None and sent < KEPT_UP * rate:
        raise InputError(f"{rate:g} requests a second were asked for and {sent:.3g} reached: the client was saturated")


def check_clients(clients: int, *, requests: float | None, ended: float | None, latency: float) -> None:
    """Raise InputError where much fewer clients, or more, had a request under way than the loop states.

    By Little's law that are as many as requests that `ended` a second times the seconds that each took, and no more
    than there were `requests`. Where these go round the clients few times, the last round counts as lost: they end one
    after the other.
    """
    if requests is not None and requests < KEPT_UP * clients:
        raise _idle(requests, clients)
    busy = clients if ended is None else ended * latency
    if not clients / BEYOND <= busy <= BUSIEST * clients:
        why = "a time may be in another unit, or its clients not all that asked"
        raise InputError(f"{_told(busy, clients)}: {why}")
    rounds = 1.0 if requests is None else 1.0 + clients / requests
    if clients - busy >= 1.0 and busy * rounds < KEPT_UP * clients:
        raise _idle(busy, clients)


def _idle(busy: float, clients: int) -> InputError:
    return InputError(
        f"{_told(busy, clients)}: the client was saturated, or had too few requests; give it more processes, and ten "
        "requests for each client"
    )


def _told(busy: float, clients: int) -> str:
    return f"by its own figures {busy:.3g} of {clients} clients were busy"
