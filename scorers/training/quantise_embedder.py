"""Turns the weight-only int8 embedder into one that also multiplies in int8.

The packaged all-MiniLM-L6-v2 stores its matrices as int8 with a scale and casts them back to float before every
product, which costs four times the time and three times the memory of an integer product. This keeps the very
same int8 weights and scales and quantises the activations dynamically instead (DynamicQuantizeLinear,
MatMulInteger); the embedding tables are looked up in int8 and scaled afterwards.

    pip install onnx==1.19.1
    python quantise_embedder.py embedder.int8.onnx out.onnx
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def main(source: str, target: str) -> None:
    model = onnx.load(source)
    graph = model.graph
    constants = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    made_by = {o: n for n in graph.node for o in n.output}

    # Name of a dequantised matrix -> its int8 tensor and the scale beside it.
    packed: dict[str, tuple[str, str]] = {}
    dropped = set()
    for node in graph.node:
        if node.op_type == "Mul" and node.input[1].endswith("_scale") and node.input[0] in made_by:
            cast = made_by[node.input[0]]
            if cast.op_type == "Cast" and cast.input[0] in constants:
                packed[node.output[0]] = (cast.input[0], node.input[1])
                dropped |= {id(node), id(cast)}

    nodes, added, quantised = [], {}, {}
    for node in graph.node:
        if id(node) in dropped:
            continue
        if node.op_type == "MatMul" and node.input[1] in packed:
            weight, scale = packed[node.input[1]]
            x, y = node.input[0], node.output[0]
            if constants[scale].shape not in ((1, constants[weight].shape[1]), (constants[weight].shape[1],)):
                raise SystemExit(f"{scale}: {constants[scale].shape} is not one scale a column")
            if x not in quantised:
                quantised[x] = [f"{x}_q", f"{x}_s", f"{x}_z"]
                nodes.append(helper.make_node("DynamicQuantizeLinear", [x], quantised[x]))
            xq, xs, xz = quantised[x]
            flat, zero = f"{scale}_column", f"{weight}_zero"
            added[flat] = constants[scale].reshape(-1).astype(np.float32)
            added[zero] = np.zeros(constants[weight].shape[1], dtype=np.int8)
            nodes += [
                helper.make_node("MatMulInteger", [xq, weight, xz, zero], [f"{y}_i"]),
                helper.make_node("Cast", [f"{y}_i"], [f"{y}_f"], to=TensorProto.FLOAT),
                helper.make_node("Mul", [xs, flat], [f"{y}_s"]),
                helper.make_node("Mul", [f"{y}_f", f"{y}_s"], [y]),
            ]
            continue
        if node.op_type == "Gather" and node.input[0] in packed:
            weight, scale = packed[node.input[0]]
            y, shape = node.output[0], constants[scale].shape
            nodes.append(helper.make_node("Gather", [weight, node.input[1]], [f"{y}_q"], axis=0))
            nodes.append(helper.make_node("Cast", [f"{y}_q"], [f"{y}_f"], to=TensorProto.FLOAT))
            rows = scale
            if len(shape) == 2 and shape[0] == constants[weight].shape[0]:
                rows = f"{y}_rows"
                nodes.append(helper.make_node("Gather", [scale, node.input[1]], [rows], axis=0))
            nodes.append(helper.make_node("Mul", [f"{y}_f", rows], [y]))
            continue
        nodes.append(node)

    left = [n.op_type for n in nodes for i in n.input if i in packed]
    if left:
        raise SystemExit(f"still read as float: {left}")
    used = {i for n in nodes for i in n.input}
    keep = [i for i in graph.initializer if i.name in used]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(keep)
    graph.initializer.extend(numpy_helper.from_array(v, k) for k, v in added.items())
    del graph.value_info[:]
    onnx.checker.check_model(model)
    onnx.save(model, target)


if __name__ == "__main__":
    main(*sys.argv[1:3])
