"""A real browser for the explorer's tests."""

import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Only a page that never does what a test waits for gets here, however busy the machine.
PATIENCE = 300_000  # milliseconds


def chromium():
    """Where Chromium is: SOFTCOST_CHROMIUM, or the system's."""
    told = os.environ.get("SOFTCOST_CHROMIUM")
    names = [told] if told else ["chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser():
    path = chromium()
    if path is None:
        pytest.skip("no Chromium here: install it, or name it in SOFTCOST_CHROMIUM")
    api = pytest.importorskip("playwright.sync_api", reason="Chromium needs playwright")
    api.expect.set_options(timeout=PATIENCE)
    with api.sync_playwright() as playwright:
        # Each start has a new, empty profile.
        running = playwright.chromium.launch(
            executable_path=path, args=FLAGS, timeout=PATIENCE
        )
        yield running
        running.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open the page of some data; errors and requests are kept in lists."""
    from softcost.report import write_explorer

    contexts = []

    def opened(data, width=1280, height=900, **context):
        path = write_explorer(tmp_path / "explorer.html", data)
        made = browser.new_context(
            viewport={"width": width, "height": height}, **context
        )
        contexts.append(made)
        page = made.new_page()
        page.set_default_timeout(PATIENCE)
        page.heard = []
        page.requested = []
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("dialog", lambda box: (page.heard.append(box.message), box.dismiss()))
        page.on("request", lambda request: page.requested.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
