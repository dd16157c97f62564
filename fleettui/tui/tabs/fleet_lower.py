"""What only a plan fills of the view of the fleet, and how that looks: the first frame needs none of it."""

from __future__ import annotations

from typing import ClassVar

from textual.containers import Vertical


class FleetLower(Vertical):
    """Holds the candidates under their title, and their plot; `DEFAULT_CSS` is also of what comes with it above."""

    SCOPED_CSS: ClassVar[bool] = False
    DEFAULT_CSS = """
    #fleet-head { display: none; height: 1; color: $text-muted; }
    .-tall #fleet-head { display: block; }
    #fleet-side-plot { display: none; }
    .-wide #fleet-side-plot { display: block; width: 45%; height: 100%; min-height: 10; padding: 0 0 0 2; }
    #fleet-lower { height: 1fr; min-height: 4; }
    #fleet-title { height: 1; color: $text-muted; }
    #fleet-lower:focus-within #fleet-title { color: $foreground; text-style: bold; }
    #fleet-candidates { height: 1fr; }
    #fleet-plot { display: none; height: 1fr; }
    .plotted #fleet-candidates { display: none; }
    .plotted #fleet-plot { display: block; }
    .-tiny #fleet-lower { display: none; }
    .planless #fleet-lower, .planless #fleet-side-plot, .planless #fleet-head { display: none; }
    """
