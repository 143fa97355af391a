"""``softcost export``: a model as an ONNX graph."""

import click

from softcost.cli.console import BadInput, bad_input, check_files, failed_job, say
from softcost.files import atomic_write, check_output


@click.command()
@click.argument("model")
@click.option(
    "-o", "--output", required=True, metavar="OUT.onnx", help="File to write."
)
@click.option(
    "--require-costs",
    is_flag=True,
    help="Make costs an input without a default, as JavaScript needs.",
)
def export(model: str, output: str, require_costs: bool) -> None:
    """Export a model as an ONNX graph, which runs without Python.

    MODEL is a file that 'softcost fit --model' or softcost.save wrote. The graph turns
    raw columns into label, probabilities and expected costs; models without
    probabilities have scores. Numbers are doubles (NaN if missing), words are strings
    ("" if missing), dates are seconds since 1970, durations are hours. An input
    'costs' replaces the costs of the model. Needs the extra 'onnx'.
    """
    check_files(model)
    with bad_input():
        check_output(output, reads=[model])
    from sklearn.pipeline import make_pipeline

    from softcost.onnx import to_onnx
    from softcost.workflow.stored_model import open_model

    with bad_input():
        stored = open_model(model)
        estimator = stored.model
        if stored.encoder is not None:
            estimator = make_pipeline(stored.encoder, stored.rest)
        try:
            graph = to_onnx(estimator, require_costs=require_costs)
        except ImportError as error:
            raise BadInput(str(error)) from None
    with failed_job(), atomic_write(output, reads=[model]) as path:
        path.write_bytes(graph.SerializeToString())
    for title, tensors in (
        ("inputs", graph.graph.input),
        ("outputs", graph.graph.output),
    ):
        say(f"{title}: {', '.join(tensor.name for tensor in tensors)}")
