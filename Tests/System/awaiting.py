"""What the tests expect and lightd does not have yet. Empty, and gone, when everything is merged."""

import pytest

AWAITED = {"socket", "reload"}


def awaiting(what: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(what in AWAITED, reason=f"awaits: {what}")
