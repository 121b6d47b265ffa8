"""Exports a trained model: float graphs, then dynamic int8 (per channel, embeddings too), checked against each other.

    python -m pragtrain.export WORK/model.pt --out FOLDER

writes `whole|lower|upper.float.onnx` and `.int8.onnx` and `export.json` (sizes, hashes, differences). A checkpoint of
a run still under way can be given as well, and a `whole` graph that was exported before.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from .model import CrossEncoder, Shape
from .onnx_graph import graphs
from .running import session
from .shipped import read
from .work import say, sha256_of

INT8_BOUND = 127


def load(path: Path) -> CrossEncoder:
    """A finished model, a checkpoint beside its `config.json`, or an exported graph."""
    if path.suffix == ".onnx":
        return read(path)
    saved = torch.load(path, map_location="cpu", weights_only=True)
    if "shape" in saved:
        shape = Shape(**saved["shape"])
    else:
        config = json.loads((path.parent / "config.json").read_text())["config"]
        shape = Shape(layers=config["layers"], exit=config["exit"])
    model = CrossEncoder(shape)
    model.load_state_dict(saved["model"])
    return model.eval()


def quantise(model: onnx.ModelProto) -> onnx.ModelProto:
    """Matrices become int8 with one scale a column (range +-127, zero point 0), activations are quantised when they
    come (DynamicQuantizeLinear, MatMulInteger); word embeddings become int8 with one scale a row, the small tables stay.

    Products of two activations (attention) stay in float, as does the span head, whose two columns cost nothing.
    """
    graph = model.graph
    values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    nodes: list[onnx.NodeProto] = []
    added: dict[str, np.ndarray] = {}
    ready: dict[str, tuple[str, str, str]] = {}
    for node in graph.node:
        matrix = values.get(node.input[1]) if node.op_type == "MatMul" else None
        if matrix is not None and matrix.shape[1] > 1:
            x, name, y = node.input[0], node.input[1], node.output[0]
            if x not in ready:
                ready[x] = (f"{x}.int8", f"{x}.scale", f"{x}.zero")
                nodes.append(helper.make_node("DynamicQuantizeLinear", [x], list(ready[x]), name=f"{x}.int8"))
            small, scale = _int8(matrix, axis=0)
            added.update({f"{name}.int8": small, f"{name}.scale": scale, f"{name}.zero": np.zeros(len(scale), np.int8)})
            given, given_scale, zero = ready[x]
            nodes += [
                helper.make_node("MatMulInteger", [given, f"{name}.int8", zero, f"{name}.zero"], [f"{y}.int32"], name=f"{y}.int32"),
                helper.make_node("Cast", [f"{y}.int32"], [f"{y}.cast"], name=f"{y}.cast", to=TensorProto.FLOAT),
                helper.make_node("Mul", [given_scale, f"{name}.scale"], [f"{y}.scale"], name=f"{y}.scale"),
                helper.make_node("Mul", [f"{y}.cast", f"{y}.scale"], [y], name=y),
            ]
        elif node.op_type == "Gather" and node.input[0] == "words.weight":
            small, scale = _int8(values["words.weight"], axis=1)
            added.update({"words.int8": small, "words.scale": scale[:, None]})
            y, ids = node.output[0], node.input[1]
            nodes += [
                helper.make_node("Gather", ["words.int8", ids], [f"{y}.int8"], name=f"{y}.int8", axis=0),
                helper.make_node("Gather", ["words.scale", ids], [f"{y}.scale"], name=f"{y}.scale", axis=0),
                helper.make_node("Cast", [f"{y}.int8"], [f"{y}.cast"], name=f"{y}.cast", to=TensorProto.FLOAT),
                helper.make_node("Mul", [f"{y}.cast", f"{y}.scale"], [y], name=y),
            ]
        else:
            nodes.append(node)
    used = {name for node in nodes for name in node.input}
    kept = [i for i in graph.initializer if i.name in used]
    kept += [numpy_helper.from_array(value, name) for name, value in added.items()]
    made = helper.make_model(
        helper.make_graph(nodes, graph.name, list(graph.input), list(graph.output), kept),
        opset_imports=model.opset_import, producer_name=model.producer_name,
    )  # fmt: skip
    made.ir_version = model.ir_version
    onnx.checker.check_model(made)
    return made


def _int8(matrix: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric int8 and its scales; `axis` is the one that a scale runs over."""
    scale = np.maximum(np.abs(matrix).max(axis=axis), 1e-12) / INT8_BOUND
    small = np.rint(matrix / (scale[None] if axis == 0 else scale[:, None]))
    return small.astype(np.int8), scale.astype(np.float32)


def probe(shape: Shape, rows: int = 24) -> list[dict[str, np.ndarray]]:
    """Sequences of random word pieces, one at a time."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(rows):
        length = int(rng.integers(12, min(200, shape.positions)))
        ids = rng.integers(shape.vocabulary // 20, shape.vocabulary, (1, length))
        ids[0, 0], ids[0, -1], ids[0, length // 3] = 101, 102, 102
        types = (np.arange(length) > length // 3).astype(np.int64)[None]
        found.append({"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types})
    return found


def export(model: CrossEncoder, out: Path) -> dict:
    """Writes all graphs; raises RuntimeError where the float graph differs from torch or the halves from the whole."""
    weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    return written(graphs(weights, model.shape), model.shape, out, lambda: _differences(model, out))


def written(
    made: dict[str, onnx.ModelProto],
    shape: Shape,
    out: Path,
    differences: Callable[[], dict[str, float]],
    ready: Callable[[onnx.ModelProto], onnx.ModelProto] = lambda graph: graph,
) -> dict:
    """Writes graphs, float and (made `ready`) int8, and `export.json`; `differences` compares what was written. Gives the
    record."""
    out.mkdir(parents=True, exist_ok=True)
    record: dict = {"shape": shape.record(), "files": {}}
    for name, graph in made.items():
        for kind, one in (("float", graph), ("int8", quantise(ready(graph)))):
            path = out / f"{name}.{kind}.onnx"
            onnx.save(one, str(path))
            record["files"][path.name] = {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
    record["differences"] = differences()
    (out / "export.json").write_text(f"{json.dumps(record, indent=1)}\n")
    return record


def _differences(model: CrossEncoder, out: Path) -> dict[str, float]:
    """Largest differences of logits on random sequences."""
    whole, small = session(out / "whole.float.onnx"), session(out / "whole.int8.onnx")
    names = [o.name for o in whole.get_outputs()]
    worst = {"torch and float graph": 0.0, "float and int8 (random words)": 0.0}
    halves = {kind: tuple(session(out / f"{part}.{kind}.onnx") for part in ("lower", "upper")) for kind in ("float", "int8")} if model.shape.exit else {}  # fmt: skip
    for kind in halves:
        worst[f"halves and whole, {kind}"] = 0.0
    for given in probe(model.shape):
        with torch.no_grad():
            truth = model(*(torch.from_numpy(given[k]) for k in ("input_ids", "token_type_ids", "attention_mask")))
        one, two = dict(zip(names, whole.run(None, given))), dict(zip(names, small.run(None, given)))
        valid = given["token_type_ids"].astype(bool) | (np.arange(given["input_ids"].shape[1]) == 0)
        for name in names:
            real = truth[name].numpy()
            keep = valid if name in ("start", "end") else np.ones(real.shape, bool)
            worst["torch and float graph"] = max(worst["torch and float graph"], float(np.abs(real - one[name])[keep].max()))
            worst["float and int8 (random words)"] = max(worst["float and int8 (random words)"], float(np.abs(one[name] - two[name])[keep].max()))  # fmt: skip
        for kind, (lower, upper) in halves.items():
            hidden, early = lower.run(["hidden", "early"], given)
            rest = upper.run(["relevance", "nli"], {"hidden": hidden, "attention_mask": given["attention_mask"]})
            same = one if kind == "float" else two
            gap = max(float(np.abs(early - same["early"]).max()), *(float(np.abs(r - same[n]).max()) for r, n in zip(rest, ("relevance", "nli"))))  # fmt: skip
            worst[f"halves and whole, {kind}"] = max(worst[f"halves and whole, {kind}"], gap)
    for name, bound in (("torch and float graph", 1e-3), ("halves and whole, float", 1e-3), ("halves and whole, int8", 0.3)):
        if worst.get(name, 0.0) > bound:
            raise RuntimeError(f"{name}: {worst[name]} apart, expected at most {bound}")
    return {name: round(value, 6) for name, value in worst.items()}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    record = export(load(args.model), args.out)
    for name, file in record["files"].items():
        say(f"{name}: {file['bytes'] / 1e6:.1f} MB")
    print(json.dumps(record["differences"], indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
