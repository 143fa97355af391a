"""Export models to ONNX: one graph from raw columns to label and expected costs.

The graph computes in double precision wherever softcost does, so labels agree. Trees
are TreeEnsemble nodes with double thresholds, kernels are matrix products, and the
decision ``argmin p C`` is part of the graph, with the costs C as an input.
"""

from softcost.onnx.graph import NotExportable
from softcost.onnx.model_graph import table_inputs, to_onnx

__all__ = ["NotExportable", "table_inputs", "to_onnx"]
