"""``softcost page``: the explorer page of a model."""

import click

from softcost.cli.console import check_files, failed_job, stdout_console


@click.command()
@click.argument("model")
@click.option(
    "-o", "--output", required=True, metavar="OUT.html", help="File for the page."
)
def page(model: str, output: str) -> None:
    """Write the explorer page of a model.

    MODEL is a search that 'softcost fit --model' or softcost.save wrote. The page shows
    all its candidates. Intervals need the training rows, so they are those that
    'softcost fit' stored.
    """
    check_files(model)
    from softcost.workflow import write_model_page

    with failed_job():
        write_model_page(model, output)
    stdout_console().print(f"report: {output}", soft_wrap=True)
