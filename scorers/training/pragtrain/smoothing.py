"""Evens out what goes into matrices, so that a few large channels do not use up the 256 steps that all are quantised to.

x W = (x / s) (s W): a channel of the activations is divided by s, the matrix's row multiplied by it. In float nothing
changes. s as in SmoothQuant (Xiao et al. 2023), from the largest values that were seen of each channel.
"""

from collections.abc import Iterable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .running import alone, session

# Share of a channel's range that moves into the matrix: of .3 to 1 the one with int8 vectors nearest to float ones on
# 200 texts of training articles (mean cosine .998; .990 without).
STRENGTH = 0.8
EVEN = ".even"
LEAST = 1e-5


def peaks(model: onnx.ModelProto, sequences: Iterable[list[int]]) -> dict[str, np.ndarray]:
    """Largest absolute value of each channel of what goes into matrices, by its name in the float graph.

    The means over values that attention gives are left out: they have no large channels.
    """
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    names = list(dict.fromkeys(node.input[0] for node in _products(model) if not node.input[0].endswith(".mixed")))
    watched.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    running = session(watched.SerializeToString())
    found = {name: np.float32(0) for name in names}
    for pieces in sequences:
        for name, values in zip(names, running.run(names, alone(pieces))):
            found[name] = np.maximum(found[name], np.abs(values[0]).max(0))
    return found


def smoothed(model: onnx.ModelProto, seen: dict[str, np.ndarray]) -> onnx.ModelProto:
    """The float graph with what `peaks` names evened out."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    graph = made.graph
    values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    takers: dict[str, list[onnx.NodeProto]] = {}
    for node in _products(made):
        if node.input[0] in seen:
            takers.setdefault(node.input[0], []).append(node)
    new: dict[str, np.ndarray] = {}
    before: dict[str, onnx.NodeProto] = {}
    for x, nodes in takers.items():
        rows = np.max([np.abs(values[node.input[1]]).max(1) for node in nodes], axis=0)
        s = np.maximum(seen[x], LEAST) ** STRENGTH / np.maximum(rows, LEAST) ** (1 - STRENGTH)
        s = (s / np.exp(np.log(s).mean())).astype(np.float32)
        new[f"{x}.share"] = 1 / s
        before[nodes[0].name] = helper.make_node("Mul", [x, f"{x}.share"], [f"{x}{EVEN}"], name=f"{x}{EVEN}")
        for node in nodes:
            new[node.input[1]] = values[node.input[1]] * s[:, None]
            node.input[0] = f"{x}{EVEN}"
    nodes = [one for node in graph.node for one in ((before[node.name], node) if node.name in before else (node,))]
    kept = [i for i in graph.initializer if i.name not in new]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend([*kept, *(numpy_helper.from_array(value, name) for name, value in new.items())])
    return made


def shares(graph: onnx.GraphProto, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """By the name of a matrix in int8, what its rows are to be multiplied by to be those of before `smoothed`."""
    even = {n.output[0]: values[n.input[1]] for n in graph.node if n.op_type == "Mul" and n.output[0].endswith(EVEN)}
    whence = {n.output[0]: n.input[0] for n in graph.node if n.op_type == "DynamicQuantizeLinear"}
    products = ((n.input[1], whence.get(n.input[0])) for n in graph.node if n.op_type == "MatMulInteger")
    return {matrix: even[x] for matrix, x in products if x in even}


def _products(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    """Products with a matrix of the weights, which `quantise` makes int8."""
    matrices = {i.name for i in model.graph.initializer if len(i.dims) == 2 and i.dims[1] > 1}
    return [node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in matrices]
