"""Editors complete public names: pyright's language server is asked, as one asks it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import softcost

pytestmark = pytest.mark.slow
pytest.importorskip("pyright", reason="completion is asked of pyright")
if shutil.which("node") is None:
    pytest.skip("pyright needs node, which is not here", allow_module_level=True)

PACKAGES = ["costs", "learners", "metrics", "reductions", "search"]
# What is offered where somebody stops typing: at the bar, or at the end of the line.
LINES = {
    "softcost.": set(softcost.__all__),
    **{f"softcost.{name}.": set(getattr(softcost, name).__all__) for name in PACKAGES},
    "softcost.SoftCostClassifierCV().": {"fit", "predict", "choose", "mix", "to_html"},
    "softcost.SoftCostClassifierCV().fit([], []).": {"predict", "score", "optimism"},
    "softcost.KernelSVC(|)": {"kernel=", "C=", "gamma=", "cache_size="},
    "softcost.Budget(|)": {"error=", "recall=", "confidence="},
}


class Server:
    """A language server that is spoken to over pipes."""

    def __init__(self, directory):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pyright.langserver", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=directory,
        )
        self._asked = 0
        root = {"uri": directory.as_uri(), "name": "program"}
        self.ask(
            "initialize",
            capabilities={
                "workspace": {"workspaceFolders": True, "configuration": True}
            },
            processId=None,
            rootUri=root["uri"],
            workspaceFolders=[root],
        )
        self.tell("initialized")

    def _send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _read(self):
        size = 0
        while (line := self._process.stdout.readline().strip()) or not size:
            assert line, "the language server has ended"
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return json.loads(self._process.stdout.read(size))

    def tell(self, method, **params):
        self._send(method=method, params=params)

    def ask(self, method, **params):
        """The answer; in between the server asks for settings, and where python is."""
        self._asked += 1
        self._send(id=self._asked, method=method, params=params)
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                items = message["params"].get("items", [])
                known = {"python": {"pythonPath": sys.executable}}
                told = [known.get(item["section"]) for item in items]
                self._send(id=message["id"], result=told)
            elif message.get("id") == self._asked:
                return message["result"]

    def close(self):
        self.ask("shutdown")
        self._send(method="exit")
        self._process.communicate()


@pytest.fixture(scope="module")
def completed(tmp_path_factory):
    """Labels that are offered, by line."""
    folder = tmp_path_factory.mktemp("editor")
    source = str(Path(softcost.__file__).parents[1])
    settings = {"pythonPlatform": "Linux", "extraPaths": [source]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    program = folder / "program.py"
    text = "import softcost\n" + "\n".join(LINES).replace("|", "") + "\n"
    program.write_text(text)
    uri, server = program.as_uri(), Server(folder)
    opened = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    server.tell("textDocument/didOpen", textDocument=opened)
    offered = {}
    for number, line in enumerate(LINES, start=1):
        found = server.ask(
            "textDocument/completion",
            textDocument={"uri": uri},
            position={"line": number, "character": len(line.partition("|")[0])},
        )
        offered[line] = {item["label"] for item in found["items"]}
    server.close()
    return offered


@pytest.mark.parametrize("line", LINES)
def test_everything_public_is_offered(completed, line):
    missing = LINES[line] - completed[line]
    assert not missing, f"after {line} pyright does not offer {sorted(missing)}"
