"""Pages of the explorer, open in a real browser."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def open_page(browser, patience, tmp_path):
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
        page.set_default_timeout(patience)
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
