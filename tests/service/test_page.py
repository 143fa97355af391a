"""The page of ``softcost serve``, in a real browser."""

import pytest


@pytest.fixture
def page(browser, patience, served):
    """The page; errors and what it asks the network for are kept in lists."""
    context = browser.new_context(viewport={"width": 900, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(patience)
    opened.errors, opened.asked = [], []
    opened.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.on("console", lambda line: opened.errors.append(line.text))
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.goto(f"http://127.0.0.1:{served.port}/")
    yield opened
    context.close()


def test_the_page_answers_its_example(page, menu, served):
    for name in menu.classes:
        page.get_by_text(name, exact=True).first.wait_for()
    page.get_by_role("button", name="Ask").click()
    answer = page.get_by_role("status")
    answer.get_by_text("prediction").wait_for()
    assert '"scores"' in answer.inner_text()
    page.get_by_label("Try it").fill('{"Größe": "many", "price, net": 1, "kind": "ü"}')
    page.get_by_role("button", name="Ask").click()
    answer.get_by_text("422").wait_for()
    assert "'many'" in answer.inner_text()
    here = f"http://127.0.0.1:{served.port}/"
    assert all(url.startswith((here, "data:")) for url in page.asked)
    # The browser itself notes the answer 422; scripts or styles refused are not there.
    assert all("422" in one for one in page.errors), page.errors


def test_names_are_text_on_the_page(serving, softcost, tmp_path, browser):
    """Whatever a column or a class is called."""
    evil = "<img src=x onerror=alert(1)><!--script-->"
    rows = "\n".join(f"{i % 7},{evil if i % 2 else 'b'}" for i in range(40))
    (tmp_path / "t.csv").write_text(f"{evil},class\n{rows}\n")
    (tmp_path / "p.csv").write_text(f",b,{evil}\nb,0,1\n{evil},3,0\n")
    model = tmp_path / "m.softcost"
    result = softcost(
        "fit", tmp_path / "t.csv", "--target", "class", "--costs", tmp_path / "p.csv",
        "--learner", "linear", "--softness", "0", "--param", "C=1", "--cv", "2",
        "--quiet", "--model", model,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    with serving(model) as served:
        context = browser.new_context()
        opened = context.new_page()
        opened.goto(f"http://127.0.0.1:{served.port}/")
        opened.get_by_text(evil, exact=True).first.wait_for()
        assert opened.locator("img").count() == 0
        assert opened.locator("script").count() == 1
        assert opened.get_by_text(evil, exact=True).count() >= 2
        context.close()


def test_the_page_asks_for_the_token(serving, menu, browser, patience):
    token = "0123456789abcdef"
    with serving(menu.model, token=token) as served:
        context = browser.new_context()
        opened = context.new_page()
        opened.set_default_timeout(patience)
        opened.goto(f"http://127.0.0.1:{served.port}/")
        assert menu.classes[0] not in opened.content()
        for text in ("a wrong token, which is long", token):
            opened.get_by_label("Token").fill(text)
            opened.get_by_role("button", name="Use token").click()
            if text != token:
                opened.get_by_role("alert").get_by_text("Bearer").wait_for()
        opened.get_by_text(menu.classes[0], exact=True).first.wait_for()
        opened.get_by_role("button", name="Ask").click()
        opened.get_by_role("status").get_by_text("prediction").wait_for()
        context.close()
