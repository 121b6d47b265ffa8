"""The cross-encoder as ONNX graphs: the whole, or cut after the early head into `lower` and `upper`.

Graphs are written node by node, so that the two halves share no weight and nothing depends on an exporter's version.
Inputs are `input_ids`, `attention_mask`, `token_type_ids` (int64, rows x length), as in the prototype; `upper` takes
`hidden` (float, rows x length x width) and `attention_mask`.
"""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .model import Shape

OPSET = 17
IR = 8


class Graph:
    """Nodes and weights on their way to a model. Names say where in the network each stands."""

    def __init__(self, weights: dict[str, np.ndarray], shape: Shape):
        self.weights, self.shape = weights, shape
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    def node(self, op: str, inputs: list[str], output: str, **attributes) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = value
        return name

    def take(self, name: str, kind: int, dims: list) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, kind, dims))
        return name

    def give(self, name: str, dims: list) -> None:
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))

    def linear(self, x: str, name: str, matrix: np.ndarray, bias: np.ndarray, output: str | None = None) -> str:
        """`matrix` as torch has it: outputs x inputs."""
        weight = self.constant(f"{name}.weight", np.ascontiguousarray(matrix.T.astype(np.float32)))
        added = self.constant(f"{name}.bias", bias.astype(np.float32))
        product = self.node("MatMul", [x, weight], f"{name}.product")
        return self.node("Add", [product, added], output or f"{name}.sum")

    def of(self, x: str, name: str, output: str | None = None) -> str:
        return self.linear(x, name, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], output)

    def norm(self, x: str, name: str) -> str:
        scale = self.constant(f"{name}.weight", self.weights[f"{name}.weight"].astype(np.float32))
        shift = self.constant(f"{name}.bias", self.weights[f"{name}.bias"].astype(np.float32))
        return self.node("LayerNormalization", [x, scale, shift], f"{name}.out", axis=-1, epsilon=1e-12)

    def embeddings(self) -> str:
        ids = self.take("input_ids", TensorProto.INT64, ["batch", "sequence"])
        types = self.take("token_type_ids", TensorProto.INT64, ["batch", "sequence"])
        parts = {}
        for name in ("words", "places", "segments"):
            parts[name] = self.constant(f"{name}.weight", self.weights[f"{name}.weight"].astype(np.float32))
        words = self.node("Gather", [parts["words"], ids], "words.out")
        segments = self.node("Gather", [parts["segments"], types], "segments.out")
        length = self.node("Shape", [ids], "length", start=1, end=2)
        zero, one = self.constant("zero", np.array(0, np.int64)), self.constant("one", np.array(1, np.int64))
        count = self.node("Squeeze", [length], "length.scalar")
        places = self.node("Gather", [parts["places"], self.node("Range", [zero, count, one], "places.index")], "places.out")
        both = self.node("Add", [words, segments], "embeddings.words")
        return self.norm(self.node("Add", [both, places], "embeddings.sum"), "norm")

    def bias(self) -> str:
        """0 where there is a token, a large negative number where there is padding: rows x 1 x 1 x length."""
        mask = self.take("attention_mask", TensorProto.INT64, ["batch", "sequence"])
        wide = self.node("Unsqueeze", [mask, self.constant("axes", np.array([1, 2], np.int64))], "mask.wide")
        real = self.node("Cast", [wide], "mask.float", to=TensorProto.FLOAT)
        less = self.node("Sub", [real, self.constant("unit", np.array(1, np.float32))], "mask.less")
        return self.node("Mul", [less, self.constant("much", np.array(1e4, np.float32))], "mask.bias")

    def layer(self, x: str, bias: str, number: int) -> str:
        name = f"layers.{number}"
        heads, width = self.shape.heads, self.shape.width
        size = width // heads
        split = self.constant("split", np.array([0, 0, heads, size], np.int64))
        joined = self.constant("joined", np.array([0, 0, width], np.int64))
        matrix, added = self.weights[f"{name}.qkv.weight"], self.weights[f"{name}.qkv.bias"]
        sides = []
        for i, side in enumerate("qkv"):
            part = slice(i * width, (i + 1) * width)
            y = self.linear(x, f"{name}.{side}", matrix[part], added[part])
            y = self.node("Reshape", [y, split], f"{name}.{side}.split")
            sides.append(self.node("Transpose", [y], f"{name}.{side}.heads", perm=[0, 2, 3, 1] if side == "k" else [0, 2, 1, 3]))
        q, k, v = sides
        scores = self.node("MatMul", [q, k], f"{name}.scores.raw")
        root = self.constant("root", np.array(math.sqrt(size), np.float32))
        scores = self.node("Div", [scores, root], f"{name}.scores.scaled")
        scores = self.node("Add", [scores, bias], f"{name}.scores.masked")
        shares = self.node("Softmax", [scores], f"{name}.shares", axis=-1)
        mixed = self.node("MatMul", [shares, v], f"{name}.mixed.heads")
        mixed = self.node("Transpose", [mixed], f"{name}.mixed.rows", perm=[0, 2, 1, 3])
        mixed = self.node("Reshape", [mixed, joined], f"{name}.mixed")
        y = self.node("Add", [self.of(mixed, f"{name}.out"), x], f"{name}.one")
        y = self.norm(y, f"{name}.norm1")
        inner = self.gelu(self.of(y, f"{name}.up"), name)
        return self.norm(self.node("Add", [self.of(inner, f"{name}.down"), y], f"{name}.two"), f"{name}.norm2")

    def gelu(self, x: str, name: str) -> str:
        scaled = self.node("Div", [x, self.constant("sqrt2", np.array(math.sqrt(2), np.float32))], f"{name}.gelu.scaled")
        erf = self.node("Add", [self.node("Erf", [scaled], f"{name}.gelu.erf"), self.constant("unit", np.array(1, np.float32))], f"{name}.gelu.shift")  # fmt: skip
        whole = self.node("Mul", [x, erf], f"{name}.gelu.product")
        return self.node("Mul", [whole, self.constant("half", np.array(0.5, np.float32))], f"{name}.gelu")

    def first(self, x: str, name: str) -> str:
        """The first token of each row."""
        return self.node("Gather", [x, self.constant("zero", np.array(0, np.int64))], name, axis=1)

    def mean(self, x: str, name: str) -> str:
        """The mean over the tokens of each row; `bias` must have been called."""
        tall = self.node("Reshape", ["mask.float", self.constant("tall", np.array([0, -1, 1], np.int64))], "mask.tall")
        axis = self.constant("one.axis", np.array([1], np.int64))
        total = self.node("ReduceSum", [self.node("Mul", [x, tall], f"{name}.seen"), axis], f"{name}.total", keepdims=0)
        count = self.node("ReduceSum", [tall, axis], f"{name}.count", keepdims=0)
        return self.node("Div", [total, count], name)

    def head(self, pooled: str, name: str, output: str, single: bool) -> None:
        pooled = self.node("Tanh", [self.of(pooled, f"{name}.pool")], f"{name}.tanh")
        if not single:
            self.of(pooled, f"{name}.out", output)
            self.give(output, ["batch", self.weights[f"{name}.out.bias"].shape[0]])
            return
        wide = self.of(pooled, f"{name}.out")
        self.node("Squeeze", [wide, self.constant("one.axis", np.array([1], np.int64))], output)
        self.give(output, ["batch"])

    def heads(self, x: str) -> None:
        first = self.first(x, "last.first")
        self.head(first, "nli", "nli", single=False)
        self.head(first, "relevance", "relevance", single=True)
        matrix, bias = self.weights["span.weight"], self.weights["span.bias"]
        for i, name in enumerate(("start", "end")):
            wide = self.linear(x, f"span.{name}", matrix[i : i + 1], bias[i : i + 1])
            self.node("Squeeze", [wide, self.constant("two.axis", np.array([2], np.int64))], name)
            self.give(name, ["batch", "sequence"])

    def model(self, name: str) -> onnx.ModelProto:
        held = [numpy_helper.from_array(value, key) for key, value in self.constants.items()]
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, held)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="pragaura")
        made.ir_version = IR
        onnx.checker.check_model(made)
        return made


def graphs(weights: dict[str, np.ndarray], shape: Shape) -> dict[str, onnx.ModelProto]:
    """`whole`, and `lower` and `upper` where there is an early head. Weights are named as in `model.py`."""
    made = {"whole": _whole(weights, shape)}
    if shape.exit:
        made["lower"], made["upper"] = _lower(weights, shape), _upper(weights, shape)
    return made


def _whole(weights: dict[str, np.ndarray], shape: Shape) -> onnx.ModelProto:
    graph = Graph(weights, shape)
    x = graph.embeddings()
    bias = graph.bias()
    for number in range(shape.layers):
        x = graph.layer(x, bias, number)
        if number + 1 == shape.exit:
            graph.head(graph.mean(x, "early.mean"), "early", "early", single=True)
    graph.heads(x)
    return graph.model("pragaura-cross-encoder")


def _lower(weights: dict[str, np.ndarray], shape: Shape) -> onnx.ModelProto:
    graph = Graph(weights, shape)
    x = graph.embeddings()
    bias = graph.bias()
    for number in range(shape.exit):
        x = graph.layer(x, bias, number)
    graph.node("Identity", [x], "hidden")
    graph.give("hidden", ["batch", "sequence", shape.width])
    graph.head(graph.mean(x, "early.mean"), "early", "early", single=True)
    return graph.model("pragaura-cross-encoder-lower")


def _upper(weights: dict[str, np.ndarray], shape: Shape) -> onnx.ModelProto:
    graph = Graph(weights, shape)
    x = graph.take("hidden", TensorProto.FLOAT, ["batch", "sequence", shape.width])
    bias = graph.bias()
    for number in range(shape.exit, shape.layers):
        x = graph.layer(x, bias, number)
    graph.heads(x)
    return graph.model("pragaura-cross-encoder-upper")
