"""Co-location: every replica prefills and decodes. A plan's own fleet is so."""

from __future__ import annotations

from fleettui.architectures.architecture import Architecture
from fleettui.architectures.plain import Plain

ARCHITECTURE = Architecture(name="together", label="co-located", help="co-located", first=Plain("both"), study="")
