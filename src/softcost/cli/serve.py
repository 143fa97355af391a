"""``softcost serve``: a model behind HTTP."""

import click

from softcost.cli.console import check_files, say


@click.command()
@click.argument("model")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8000,
    show_default=True,
    help="Port; 0 picks a free port and prints it.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen on; others than loopback need a token.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Accept requests for this host name, beside addresses and localhost. "
    "Repeatable.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="Require the bearer token in this file [default: $SOFTCOST_TOKEN, if set].",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Number of processes that answer.",
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
    help="Most rows in a request.",
)
@click.option(
    "--log",
    metavar="FILE",
    help="Append requests and events to this file, one line of JSON each; - for "
    "standard output.",
)
def serve(
    model: str,
    port: int,
    host: str,
    allow_host: tuple[str, ...],
    token_file: str | None,
    workers: int,
    max_body: float,
    max_rows: int,
    log: str | None,
) -> None:
    """Answer rows over HTTP: JSON in, predictions and costs out.

    MODEL is a file that 'softcost fit --model' or softcost.save wrote. POST /predict
    accepts one row, {"column": cell, ...}, or a list of rows, and returns for each the
    prediction with its expected cost, or with scores if the model has no expected
    costs. GET / is a page to try it, /openapi.json describes it to programs, /health
    is for probes, and /metrics for Prometheus.

    SIGHUP loads the model file again. Ctrl-C or SIGTERM ends the service after the
    requests under way. Needs the extra 'serve'.
    """
    check_files(model)
    from softcost.service import ServeOptions
    from softcost.service import serve as start

    options = ServeOptions(
        model,
        host,
        port,
        allow_host,
        max_body,
        max_rows,
        workers,
        token_file,
        log,
    )
    start(options, tell=say)
