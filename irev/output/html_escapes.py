"""Text that HTML shows as it is: the one way by which names and texts get into a page."""

from __future__ import annotations

import html

from irev.errors import escaped


def literal(text: str) -> str:
    """Text for an element or an attribute: no markup, and no control characters either, which are shown as escapes."""
    return html.escape(escaped(text))
