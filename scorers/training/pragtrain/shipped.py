"""Reads an exported graph (`onnx_graph.py`, float or int8) back into weights, so that training can go on from a model
of which nothing but the shipped file is left.

What int8 rounded away stays away: a matrix comes back as its steps, each within half a step of what was trained.
"""

import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from .model import CrossEncoder, Shape
from .smoothing import shares


def read(path: Path, kind: type[CrossEncoder] = CrossEncoder) -> CrossEncoder:
    """The model of a `whole` graph, or of an embedder's. Raises ValueError where the file is no such graph."""
    graph = onnx.load(path).graph
    values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    values |= {f"{matrix}.share": share for matrix, share in shares(graph, values).items()}
    try:
        shape = _shape(graph, values)
        model = kind(shape)
        wanted = model.state_dict()
        model.load_state_dict({name: _tensor(name, values).reshape(like.shape) for name, like in wanted.items()})
    except (KeyError, RuntimeError) as error:
        raise ValueError(f"{path} holds no {kind.__name__} that an export here wrote: {error}") from error
    return model.eval()


def _shape(graph: onnx.GraphProto, values: dict[str, np.ndarray]) -> Shape:
    layers = len({name for name in values if re.fullmatch(r"layers\.\d+\.norm2\.weight", name)})
    exit = 0
    for node in graph.node:
        if node.name == "early.mean.seen":
            exit = int(node.input[0].split(".")[1]) + 1
    rows, width = values["words.int8" if "words.int8" in values else "words.weight"].shape
    inner, positions = len(values["layers.0.up.bias"]), len(values["places.weight"])
    return Shape(layers, width, int(values["split"][2]), inner, rows, positions, exit)


def _tensor(name: str, values: dict[str, np.ndarray]) -> torch.Tensor:
    """A weight as torch has it, by the name that it has in `model.py`."""
    place, _, part = name.rpartition(".")
    if place.endswith(".qkv"):
        sides = [_tensor(f"{place.removesuffix('qkv')}{side}.{part}", values) for side in "qkv"]
        return torch.cat(sides)
    if place == "span":
        return torch.cat([_tensor(f"span.{side}.{part}", values) for side in ("start", "end")])
    if name == "words.weight" and "words.int8" in values:
        return _float(values["words.int8"] * values["words.scale"])
    if f"{name}.int8" in values:
        share = values.get(f"{name}.int8.share", np.ones(1))
        return _float((values[f"{name}.int8"] * values[f"{name}.scale"] * share[:, None]).T)
    # Matrices stand in the graph as inputs x outputs; tables and vectors as in torch.
    table = place in ("words", "places", "segments")
    return _float(values[name] if table else values[name].T)


def _float(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(values.astype(np.float32)))
