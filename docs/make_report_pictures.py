"""Takes the pictures of docs/report.md in a headless Chromium from a report of the sample; not run by any test.

python docs/make_report_pictures.py REPORT.html
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

from chromium import Chromium  # noqa: E402  # from the tests, which need the same browser


def take(report: Path) -> None:
    """Write the pictures of a report."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, Chromium(Path(profile)) as browser:
        pictures = DOCS / "pictures"
        browser.look(width=1100)
        browser.open(report)
        browser.settle()
        browser.screenshot(pictures / "report-light.png", clip={"x": 0, "y": 0, "width": 1100, "height": 720})
        browser.look(width=1100, is_dark=True)
        browser.screenshot(pictures / "report-dark.png", clip={"x": 0, "y": 0, "width": 1100, "height": 720})
        browser.look(width=1100)
        browser.evaluate("document.querySelector('.open').click()")
        top = browser.evaluate("document.getElementById('items').getBoundingClientRect().top + scrollY")
        browser.screenshot(pictures / "report-item.png", clip={"x": 0, "y": top - 10, "width": 1100, "height": 700})
        browser.look(width=360, height=800)
        browser.screenshot(pictures / "report-phone.png", clip={"x": 0, "y": 0, "width": 360, "height": 800})


if __name__ == "__main__":
    take(Path(sys.argv[1]))
