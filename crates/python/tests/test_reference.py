"""The reference page is that of the docstrings."""

from pathlib import Path

import reference

PAGE = Path(__file__).parents[3] / "docs" / "src" / "python-api.md"


def test_the_page_is_up_to_date():
    command = "python crates/python/tests/reference.py > docs/src/python-api.md"
    assert PAGE.read_text() == reference.page(), f"run `{command}`"
