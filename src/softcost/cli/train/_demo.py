"""``softcost demo``: the main job on bundled data, in seconds."""

import click


@click.command()
@click.option(
    "-o",
    "--output",
    default="softcost-demo.html",
    show_default=True,
    metavar="OUT.html",
    help="Where the explorer page goes.",
)
@click.option("--seed", type=click.IntRange(0, 2**31), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
@click.option("--quiet", is_flag=True, help="No progress.")
def demo(output: str, seed: int, as_json: bool, quiet: bool) -> None:
    """Show the main job on bundled data, in seconds.

    A bank reads amounts on cheques: scikit-learn's digits. What is paid too much is
    lost; what is paid too little costs a tenth, since the customer calls and is paid
    the rest. Trains without prices (regular), on the prices alone (hard) and on both
    (soft), and measures them on digits that none of them has seen.
    """
    from softcost.cli.train._demo_job import run

    run(output, seed, as_json, quiet)
