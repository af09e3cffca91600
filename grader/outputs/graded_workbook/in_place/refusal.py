"""Why no columns are added to the expert's own sheet; a reason for the user and no fault."""

from __future__ import annotations


class NotInPlace(Exception):
    """Columns of ours have no safe place in this sheet; the message completes "because …" in plain words."""
