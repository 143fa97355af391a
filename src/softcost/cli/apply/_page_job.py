"""The work behind ``softcost page``."""

from typing import Any

from softcost.cli.console import bad_input, failed_job, stdout_console
from softcost.cli.results import page_data
from softcost.cli.stored_model import StoredModel, open_model
from softcost.files import check_output
from softcost.persistence import ModelFileError, final_step
from softcost.report import ExplorerData, write_explorer
from softcost.search import SoftCostClassifierCV


def run(path: str, output: str) -> None:
    """Read the model, write its page."""
    with bad_input():
        check_output(output, reads=[path])
        stored = open_model(path)
        search = final_step(stored.model)
        if not isinstance(search, SoftCostClassifierCV):
            raise ModelFileError(
                f"{path} holds {type(search).__name__}: only a search has candidates "
                "to show; give a model of 'softcost fit --model'."
            )
        data = _page_data(stored, search)
    with failed_job():
        write_explorer(output, data)
    stdout_console().print(f"report: {output}", soft_wrap=True)


def _page_data(stored: StoredModel, search: Any) -> ExplorerData:
    notes = stored.manifest["notes"]
    if "commands" not in notes or not hasattr(stored.model, "named_steps"):
        return ExplorerData.from_search(search, title=stored.path)
    try:
        return page_data(stored.model, notes)
    except (KeyError, TypeError, ValueError) as error:  # whatever a file may say
        raise ModelFileError(
            f"{stored.path} has odd notes, so that its page cannot be made: train it "
            "again."
        ) from error
