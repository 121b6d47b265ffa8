"""Trains the embedder; called again with the same arguments it goes on where it stopped.

    python -m pragtrain.embedder_train --work WORK [--finish N]

Reads what `embedder_rows` and `embedder_teachers` wrote; writes as `train.py` does. Four losses over the cosines of a
batch: `contrast`, the gold passage against all that are not blocked (van den Oord et al. 2018; Henderson et al. 2017);
`teach`, the teachers' distribution over the same passages; `shape`, theirs of each passage over the others; `anchor`, one
less the cosine with the trunk's own vector. Word embeddings stay as they are: words that no row holds keep their place
beside those that some hold.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from .embedder import Embedder
from .embedder_export import tuned_of
from .embedder_rows import load
from .embedder_teachers import TRUNK
from .model import Shape
from .sequences import Words
from .train import Losses, Run, command
from .trunks import TRUNKS, fetch
from .work import sha256_of

CHUNK_TOKENS = 4_096


@dataclass(frozen=True)
class Config:
    """All that decides the outcome of a run, beside the rows. `scale`: of the cosines before they are logits."""

    # A model of the same trunk to go on from, .pt or .onnx; empty: the trunk.
    begin: str = ""
    seed: int = 1
    rate: float = 1e-4
    warm: float = 0.05
    cool: float = 0.95
    decay: float = 0.01
    clip: float = 1.0
    scale: float = 20.0
    contrast: float = 0.3
    teach: float = 1.0
    shape: float = 0.5
    anchor: float = 0.3
    # Steps of the whole run; 0: all batches that there are.
    steps: int = 0


class EmbedderRun(Run):
    """One run in a folder."""

    config: Config

    def __init__(self, config: Config, work: Path, device: torch.device, tokenizer: Path):
        self.words = Words(tokenizer)
        super().__init__(config, work, device)

    def read(self) -> int:
        self.texts, self.batches = load(self.work / "rows.npz")
        self.teachers = json.loads((self.work / "teachers.json").read_text())
        self.known = {name: np.load(self.work / f"vectors-{name}.npy") for name in (*self.teachers["scales"], TRUNK)}
        return min(len(self.batches), self.teachers["steps"])

    def size(self) -> str:
        return f"{len(self.texts)} texts"

    def build(self) -> Embedder:
        model = Embedder(Shape(layers=TRUNKS[TRUNK].layers))
        model.take_trunk(load_file(fetch(TRUNK, self.work.parent / "trunks")))
        if self.config.begin:
            model.load_state_dict(tuned_of(Path(self.config.begin)))
        model.words.requires_grad_(False)
        return model

    def origin(self) -> dict[str, str]:
        begun = {"begun": sha256_of(Path(self.config.begin))} if self.config.begin else {}
        return {"teachers": sha256_of(self.work / "teachers.json"), **begun}

    def embed(self, numbers: np.ndarray) -> tuple[torch.Tensor, int]:
        """Vectors of texts, and the padded word pieces that they took."""
        lengths = self.texts.lengths[numbers]
        order = np.argsort(lengths, kind="stable")
        parts, begin, tokens = [], 0, 0
        for i in range(1, len(order) + 1):
            if i == len(order) or (i + 1 - begin) * (lengths[order[i]] + 2) > CHUNK_TOKENS:
                ids, mask = self.texts.padded(numbers[order[begin:i]], [self.words.cls], self.words.sep)
                with torch.autocast(self.device.type, dtype=torch.bfloat16):
                    parts.append(self.model(torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)))
                tokens += ids.size
                begin = i
        back = torch.from_numpy(np.argsort(order, kind="stable")).to(self.device)
        return torch.cat(parts)[back], tokens

    def taught(self, rows: np.ndarray, columns: np.ndarray) -> torch.Tensor:
        """The teachers' logits."""
        scales = self.teachers["scales"]
        total = sum(
            scale / len(scales) * (self._vectors(name, rows) @ self._vectors(name, columns).T) for name, scale in scales.items()
        )
        return total * self.teachers["all"]

    def _vectors(self, name: str, numbers: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(self.known[name][numbers].astype(np.float32)).to(self.device)

    def losses(self) -> Losses:
        config, batch = self.config, self.batches[self.step]
        asked, some = self.embed(batch.askings)
        passages, more = self.embed(batch.passages)
        taught = (self.taught(batch.askings, batch.passages), self.taught(batch.passages, batch.passages)) if self.teachers["scales"] else None
        gold, blocked = (torch.from_numpy(places).long().to(self.device) for places in (batch.gold, batch.blocked))
        parts = losses_of(asked, passages, gold, blocked, taught, config.scale)
        own = torch.cat([self._vectors(TRUNK, batch.askings), self._vectors(TRUNK, batch.passages)])
        parts["anchor"] = (1.0 - F.cosine_similarity(torch.cat([asked, passages]), own)).sum()
        every = {"contrast": len(asked), "teach": len(asked), "shape": len(passages), "anchor": len(own)}
        rows = {name: count for name, count in every.items() if name in parts}
        parts["total"] = sum(getattr(config, name) * parts[name] / rows[name] for name in rows)
        return Losses(parts, rows, some + more)


def losses_of(
    asked: torch.Tensor, passages: torch.Tensor, gold: torch.Tensor, blocked: torch.Tensor,
    teachers: tuple[torch.Tensor, torch.Tensor] | None, scale: float,
) -> dict[str, torch.Tensor]:  # fmt: skip
    """Sums over rows. `asked` and `passages`: unit vectors; `gold`: a passage for each asking; `blocked`: places that
    are no negatives; `teachers`: their logits of askings, and of passages, over passages; None where they have no say.

    A passage that the teachers put above the gold one is no negative either: most such are right as well.
    """
    logits = scale * asked @ passages.T
    rows = torch.arange(len(gold), device=gold.device)
    out = torch.zeros_like(logits, dtype=torch.bool) if teachers is None else teachers[0] > teachers[0][rows, gold][:, None]
    out[blocked[:, 0], blocked[:, 1]] = True
    out[rows, gold] = False
    contrast = F.cross_entropy(logits.masked_fill(out, -1e4), gold, reduction="sum")
    if teachers is None:
        return {"contrast": contrast}
    taught, among = teachers
    itself = torch.eye(len(passages), dtype=torch.bool, device=gold.device)
    each = (scale * passages @ passages.T).masked_fill(itself, -1e4)
    return {
        "contrast": contrast,
        "teach": F.kl_div(logits.log_softmax(-1), taught.log_softmax(-1), reduction="sum", log_target=True),
        "shape": F.kl_div(each.log_softmax(-1), among.masked_fill(itself, -1e4).log_softmax(-1), reduction="sum", log_target=True),
    }


if __name__ == "__main__":
    command(sys.argv[1:], __doc__, Config, EmbedderRun, tokenizer=True)
