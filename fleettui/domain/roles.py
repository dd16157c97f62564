"""What replicas of one role do, by name: a fleet may prefill in some and decode in others."""

from __future__ import annotations

PREFILL, DECODE = "prefill", "decode"
