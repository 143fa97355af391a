"""``softcost page``: the explorer page of a model."""

import click

from softcost.cli.console import check_files, failed_job, stdout_console


@click.command()
@click.argument("model")
@click.option("-o", "--output", required=True, metavar="OUT.html", help="The page.")
def page(model: str, output: str) -> None:
    """Write the explorer page of a model.

    MODEL is a file that 'softcost fit --model' or softcost.save wrote of a search. The
    page has all its candidates; intervals, which need the training rows, are those that
    'softcost fit' noted.
    """
    check_files(model)
    from softcost.workflow import write_model_page

    with failed_job():
        write_model_page(model, output)
    stdout_console().print(f"report: {output}", soft_wrap=True)
