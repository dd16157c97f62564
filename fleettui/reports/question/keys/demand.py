"""The keys that say how much arrives, in one of four forms."""

from __future__ import annotations

from functools import partial

from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import COUNT, FACTOR, RATE, SHARE, TIME, TOKEN_RATE

_Rate, _Users, _Tokens, _Clients = (
    partial(Key, demand=form, of_given=True) for form in ("rate", "users", "tokens", "concurrency")
)

GROUP = Group(
    "How much of it: one of rate, users, tokens, concurrency; none takes the trace's own rate.",
    (
        _Rate("rate", RATE, "100/s", "requests per unit of time; the trace's own rate if no demand is given"),
        _Users("users", COUNT, "20000", "how many users there are; with --requests-per-user"),
        _Users("requests-per-user", RATE, "6/h", "requests that one user sends, on average"),
        _Users("peak-factor", FACTOR, "2.5", "the busiest hour over the average"),
        _Tokens("tokens", TOKEN_RATE, "3e9/day", "tokens per day, prompt and output together"),
        _Tokens("peak-hour", SHARE, "9%", "share of the day's tokens that falls into its busiest hour"),
        _Clients("concurrency", COUNT, "400", "clients that each send the next request when the last is answered"),
        _Clients("think", TIME, "20s", "pause of such a client between two requests"),
    ),
)
