"""``softcost serve``: a model behind HTTP on this machine."""

import click

from softcost.cli.console import check_files, say


@click.command()
@click.argument("model")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8000,
    show_default=True,
    help="0: any that is free; it is told which.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen; the default is this machine alone.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="A name by which clients may call this machine, beside its addresses and "
    "localhost.",
)
@click.option(
    "--max-body",
    type=click.FloatRange(0.001, 1000),
    default=1.0,
    show_default=True,
    metavar="MB",
    help="Largest request.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Most rows of a request.",
)
def serve(
    model: str,
    port: int,
    host: str,
    allow_host: tuple[str, ...],
    max_body: float,
    max_rows: int,
) -> None:
    """Answer rows over HTTP: JSON in, answers with expected costs out.

    MODEL is a file that 'softcost fit --model' or softcost.save wrote. POST /predict
    takes one row, {"column": cell, ...}, or a list of rows, reads the cells as
    'softcost predict' reads those of a file, and gives the answer with what it is
    expected to cost; scores, named so, where the model does not know costs. GET / is a
    page to try it, /openapi.json describes it to programs, /health says that it runs.
    Ctrl-C ends it once requests under way are answered. Needs the extra 'serve'.
    """
    check_files(model)
    from softcost.service import run

    run(model, host, port, allow_host, max_body, max_rows, tell=say)
