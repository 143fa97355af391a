"""``softcost serve``: the answers of predict, over HTTP, whatever clients send."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import softcost as library

pytest.importorskip("fastapi", reason="serve needs its extra")

COLUMNS = ["Größe", "price, net", "kind"]


def menu_rows(menu, n=90, seed=0):
    """Rows as texts, as in a CSV file."""
    text = menu.rows(n, seed)[COLUMNS].to_csv(index=False)
    (menu.folder / "rows.csv").write_text(text, encoding="utf-8")
    table = pd.read_csv(menu.folder / "rows.csv", dtype=str, keep_default_na=False)
    return table.to_dict("records")


def typed(row):
    """A row with numbers as numbers, and null for empty cells."""
    numbers = {name: float(row[name]) if row[name] else None for name in COLUMNS[:2]}
    return {**numbers, "kind": row["kind"] or None}


def assert_alike(found, wanted):
    """The same answers; sums of many rows at once may be added in another order."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert list(one) == list(other)
        for name in ("prediction", "unlike_training"):
            assert one[name] == other[name]
        for name in ("scores", "expected_costs"):
            if name in other:
                assert one[name] == pytest.approx(other[name], rel=1e-12)


def predictions(softcost, model, data, tmp_path):
    out = tmp_path / "out.csv"
    result = softcost("predict", model, data, "-o", out)
    assert result.exit_code == 0, result.output
    table = pd.read_csv(out, dtype=str)
    known = [name for name in table if "_" in name and name != "next_best"]
    numbers = {name: table[name].map(float) for name in known}
    return table.assign(**numbers)


@pytest.mark.parametrize("kind", ["scores", "money"])
def test_answers_are_those_of_predict(menu, priced, serving, softcost, tmp_path, kind):
    model = menu.model if kind == "scores" else priced
    wanted = predictions(softcost, model, menu.data, tmp_path)
    rows = menu_rows(menu)
    with serving(model) as served:
        for asked in (rows, [typed(row) for row in rows]):
            together = served.predict(asked)
            assert_alike(together, [served.predict(row) for row in asked])
            assert [one["prediction"] for one in together] == wanted[
                "prediction"
            ].tolist()
            part, prefix = (
                ("scores", "score_")
                if kind == "scores"
                else ("expected_costs", "expected_cost_")
            )
            found = pd.DataFrame([one[part] for one in together]).add_prefix(prefix)
            pd.testing.assert_frame_equal(found, wanted[list(found)], rtol=1e-12)
            if kind == "money":
                assert {one["prediction"] for one in together} > {"ask"}
                own = [one["expected_cost"] for one in together]
                assert np.allclose(own, wanted["expected_cost"], rtol=1e-12)
                second = [one["next_best"] for one in together]
                assert second == wanted["next_best"].tolist()
                more = [one["next_best_costs_more"] for one in together]
                assert np.allclose(more, wanted["next_best_costs_more"], atol=1e-12)
        assert served.predict([]) == []


def test_single_rows_are_encoded_as_tables_are(menu, served):
    """Bit for bit, with new words and empty cells."""
    rows = menu_rows(menu, 40, seed=5)
    rows[3]["kind"], rows[4]["kind"], rows[5]["Größe"] = "never seen", "", "?"
    stored = served.model.stored
    table = stored.table(pd.DataFrame(rows), "rows", 0, set())
    wanted = stored.model[:-1].transform(table)
    assert np.array_equal(served.model.prepare(rows).X, wanted)


def test_rare_words_share_a_feature(softcost, serving, tmp_path):
    """Where the encoder keeps the usual words only."""
    from softcost.tables.kinds import MOST_WORDS

    rng = np.random.default_rng(0)
    words = [f"w{number}" for number in range(MOST_WORDS + 20)]
    table = pd.DataFrame(
        {"word": [*words, *words], "n": rng.normal(size=2 * len(words)).round(3)}
    )
    table["class"] = np.where(table["n"] > 0, "up", "down")
    data, model = tmp_path / "words.csv", tmp_path / "words.softcost"
    table.to_csv(data, index=False)
    prices = tmp_path / "prices.csv"
    prices.write_text(",up,down\nup,0,1\ndown,5,0\n")
    result = softcost(
        "fit", data, "--target", "class", "--costs", prices, "--nominal", "word",
        "--learner", "linear", "--softness", "0", "--param", "C=1", "--cv", "2",
        "--quiet", "--model", model,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    from softcost.service.answers import RowModel
    from softcost.workflow.stored_model import open_model

    stored = open_model(str(model))
    assert "word (rare)" in stored.encoder.get_feature_names_out()
    raw = table.astype(str)
    wanted = stored.encoded(stored.table(raw, "t", 0, set()))
    found = RowModel(stored).prepare(raw.to_dict("records")).X
    assert np.array_equal(found, wanted)


def test_models_of_the_library(serving, tmp_path):
    """Rows are lists where there are no names; two classes and whole-number labels."""
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100] + 5
    model = library.OneSidedRegression(cost_matrix=[[0, 1], [7, 0]]).fit(X, y)
    library.save(model, tmp_path / "plain.softcost")
    with serving(tmp_path / "plain.softcost") as served:
        found = served.predict(X[::9].tolist())
        assert [one["prediction"] for one in found] == [
            str(label) for label in model.predict(X[::9])
        ]
        scores = np.array([one["scores"]["6"] for one in found])
        assert np.allclose(scores, model.decision_function(X[::9]))
        assert served.predict(X[0].tolist()) == served.predict([X[0].tolist()])[0]
        for body in ([1, 2, 3], [[1, 2, 3, 4], [1]], [1, 2, 3, {}], {"a": 1}):
            status, told = served.ask(json.dumps(body))
            assert status == 422, told


def test_a_pipeline_of_ones_own_may_refuse_rows(serving, tmp_path):
    """One refused row spoils no other request that waits with it."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    frame = load_iris(as_frame=True)
    scaled = make_pipeline(
        StandardScaler(), library.OneSidedRegression(cost_matrix=1 - np.eye(3))
    )
    model = scaled.fit(frame.data, frame.target)
    library.save(model, tmp_path / "pipe.softcost")
    rows = frame.data.to_dict("records")
    with serving(tmp_path / "pipe.softcost") as served:
        bad = {**rows[0], "petal width (cm)": None}
        asked = [rows[at] if at % 3 else bad for at in range(60)]
        with ThreadPoolExecutor(12) as pool:
            found = list(pool.map(lambda row: served.ask(json.dumps(row)), asked))
        for at, (status, told) in enumerate(found):
            if at % 3:
                wanted = str(model.predict(frame.data.iloc[[at]])[0])
                assert (status, told["prediction"]) == (200, wanted)
            else:
                assert status == 422
                assert "NaN" in told["error"]


def test_what_is_unlike_the_training_is_named(menu, served):
    row = typed(menu_rows(menu)[1])
    assert served.predict(row)["unlike_training"] == []
    odd = {**row, "kind": "never seen", "price, net": 9e6}
    assert served.predict(odd)["unlike_training"] == ["price, net", "kind"]


GOOD = {"Größe": 1, "price, net": "2.5", "kind": None}
REFUSED = {
    "no JSON": (b"{", 400, "not JSON"),
    "nothing": (b"", 400, "not JSON"),
    "no UTF-8": (b'{"a": "\xff"}', 400, "UTF-8"),
    "NaN": (b'{"a": NaN}', 400, "null"),
    "twice": (b'{"a": 1, "a": 2}', 400, "twice"),
    "deep": (b"[" * 100_000, 400, "deep"),
    "long number": (b"9" * 5000, 400, "not JSON"),
    "a number": (b"3", 422, "object"),
    "a list of numbers": (b"[3]", 422, "row 1"),
    "no column": (b"{}", 422, "'Gr"),
    "cell is a list": (
        json.dumps({**GOOD, "kind": ["a"]}).encode(), 422, "list or an object",
    ),
    "no number": (json.dumps({**GOOD, "Größe": "many"}).encode(), 422, "'many'"),
    "surrogate": (json.dumps({**GOOD, "Größe": "\ud800"}).encode(), 422, "ud800"),
    "far": (json.dumps({**GOOD, "Größe": 1e30}).encode(), 422, "accepts"),
    "far text": (json.dumps({**GOOD, "Größe": "9" * 30}).encode(), 422, "'999"),
    "rows": (json.dumps([GOOD] * 21).encode(), 422, "20"),
    "bytes": (b" " * 9000, 413, "8192"),
}  # fmt: skip


@pytest.fixture(scope="module")
def small(menu, serving):
    """A service with low limits."""
    with serving(menu.model, rows=20, body=8192, hosts=["box.example"]) as found:
        yield found


@pytest.mark.bad_input
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_sentence(small, name):
    body, status, word = REFUSED[name]
    found, told = small.ask(body if len(body) < 8192 or status == 413 else body[:8000])
    assert found == status, told
    assert list(told) == ["error"]
    assert word in told["error"]
    assert small.ask(json.dumps(GOOD))[0] == 200


def test_a_name_twice_is_found_without_comparing_all(compared):
    """One thread answers all: a megabyte of names must not hold it up for minutes."""
    from softcost.service.app import no_name_twice

    names = [compared(number) for number in range(2000)] + [compared(1999)]
    with pytest.raises(ValueError, match=r"'1999' is there twice"):
        no_name_twice([(name, 1) for name in names])
    assert compared.count < 20_000


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("/predict", "GET", {}, 405),
        ("/predict", "POST", {"content-type": "text/plain"}, 415),
        ("/predict", "POST", {}, 415),
        ("/../../etc/passwd", "GET", {}, 404),
        ("/health", "GET", {"host": "evil.example"}, 421),
        ("/health", "GET", {"host": "127.0.0.1.evil.example:80"}, 421),
        ("/health", "GET", {"host": ""}, 421),
        ("/health", "GET", {"host": "localhost:1"}, 200),
        ("/health", "GET", {"host": "[::1]:8000"}, 200),
        ("/health", "GET", {"host": "BOX.example"}, 200),
    ],
)
def test_paths_methods_and_hosts(small, path, method, headers, status):
    found, told = small.ask(json.dumps(GOOD), path, method, headers)
    assert found == status
    assert "error" in told or told["status"] == "ok"


def test_a_chunked_body_has_the_same_limit(small):
    connection = http.client.HTTPConnection("127.0.0.1", small.port)
    headers = {"content-type": "application/json", "transfer-encoding": "chunked"}
    try:
        connection.request(
            "POST", "/predict", iter([b" " * 4000] * 200), headers, encode_chunked=True
        )
        assert connection.getresponse().status == 413
    except (ConnectionError, http.client.BadStatusLine):
        pass  # the service has hung up before all was sent
    connection.close()
    assert small.ask(json.dumps(GOOD))[0] == 200


def test_a_body_that_does_not_come_is_not_waited_for(menu, serving):
    with serving(menu.model, seconds=0.2) as served:
        head = b"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n"
        head += b"content-type: application/json\r\n\r\n{"
        with socket.create_connection(("127.0.0.1", served.port)) as slow:
            slow.sendall(head)
            told = slow.recv(65_536)
        assert b" 408 " in told.splitlines()[0]


def test_garbage_harms_nobody(small):
    rng = np.random.default_rng(0)
    good = b"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application"
    good += b"/json\r\ncontent-length: 46\r\n\r\n" + json.dumps(GOOD).encode()
    for _ in range(60):
        raw = bytearray(good)
        for _ in range(rng.integers(1, 8)):
            raw[rng.integers(len(raw))] = rng.integers(256)
        told = small.send(bytes(raw[: rng.integers(1, len(raw) + 1)]))
        assert not told or re.match(rb"HTTP/1.1 [24]\d\d ", told), (raw, told)
    assert small.ask(json.dumps(GOOD))[0] == 200


def test_many_clients_get_their_own_answers(menu, served):
    rows = [typed(row) for row in menu_rows(menu, 60, seed=3)]
    alone = [served.predict(row) for row in rows]
    with ThreadPoolExecutor(16) as pool:
        for _ in range(3):
            assert_alike(list(pool.map(served.predict, rows)), alone)


def test_the_document_is_openapi_and_true(menu, priced, serving):
    validate = pytest.importorskip("openapi_spec_validator").validate
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    for model in (menu.model, priced):
        with serving(model) as served:
            status, document = served.ask(None, "/openapi.json", "GET", {})
            assert status == 200
            validate(document)
            parts = {"components": document["components"]}

            def schema(name, parts=parts):
                return validator({"$ref": f"#/components/schemas/{name}", **parts})

            example = document["paths"]["/predict"]["post"]["requestBody"]["content"][
                "application/json"
            ]["schema"]["examples"][0]
            for row in (example, *menu_rows(menu, 5)):
                schema("Row").validate(row)
                schema("Answer").validate(served.predict(row))
            assert not schema("Row").is_valid({"kind": "a"})
            schema("Health").validate(served.ask(None, "/health", "GET", {})[1])
            schema("Problem").validate(served.ask(b"{")[1])


def start(*args):
    """The real command; its first line says where it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "softcost", "serve", *map(str, args)],
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    line = process.stderr.readline()
    port = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
    assert port, line + process.stderr.read()
    return process, int(port[1])


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_the_command_answers_until_it_is_stopped(menu):
    process, port = start(menu.model, "--port", 0)
    with process:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/health")
        assert json.loads(connection.getresponse().read())["status"] == "ok"
        # A request is under way when the signal comes: it is still answered.
        body = json.dumps(GOOD).encode()
        connection.putrequest("POST", "/predict")
        connection.putheader("content-type", "application/json")
        connection.putheader("content-length", str(len(body)))
        connection.endheaders(body[:5])
        process.send_signal(signal.SIGTERM)
        connection.send(body[5:])
        assert "prediction" in json.loads(connection.getresponse().read())
        connection.close()
        assert process.wait() == 0
        assert process.stderr.read() == "softcost: stopped.\n"


def test_a_port_that_is_taken(menu, softcost):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = softcost("serve", menu.model, "--port", port)
    assert result.exit_code == 2
    assert f"port {port}" in result.stderr
    assert "--port" in result.stderr


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "prometheus_client"])
def test_without_the_extra(menu, softcost, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    result = softcost("serve", menu.model)
    assert result.exit_code == 2
    assert package in result.stderr
    assert "pip install 'fastapi>=" in result.stderr.replace("\n", " ")
