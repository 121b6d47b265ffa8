"""The embedder: a BERT trunk without heads, one unit vector a text; and its graphs.

The vector is the mean over the tokens of the last layer, scaled to length one, as `scorers/embed` makes it. The graph
gives `last_hidden_state` and takes the inputs of the packaged embedder.
"""

from dataclasses import replace

import numpy as np
import onnx
import torch
import torch.nn.functional as F

from .model import CrossEncoder, Shape
from .onnx_graph import Graph

# What the product gives to the embedder at most, [CLS] and [SEP] included.
MAX_TOKENS = 256


class Embedder(CrossEncoder):
    """The body of the cross-encoder. `first`: the vector is the first token's instead of the mean (BGE's way)."""

    def __init__(self, shape: Shape, first: bool = False):
        super().__init__(replace(shape, exit=0))
        del self.nli, self.relevance, self.span
        self.first = first

    def tokens(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The last layer: rows x length x width. Ids and mask (1 where there is a token): rows x length, int64."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.places(places) + self.segments.weight[0])
        bias = ((1.0 - mask[:, None, None, :].to(x.dtype)) * -1e4).to(x.dtype)
        for layer in self.layers:
            x = layer(x, bias)
        return x

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Unit vectors, float32: rows x width."""
        x = self.tokens(ids, mask).float()
        if self.first:
            return F.normalize(x[:, 0], dim=-1)
        seen = mask[..., None].float()
        return F.normalize((x * seen).sum(1) / seen.sum(1), dim=-1)


def graph(weights: dict[str, np.ndarray], shape: Shape) -> onnx.ModelProto:
    """The float graph; weights are named as in `model.py`."""
    made = Graph(weights, shape)
    x = made.embeddings()
    bias = made.bias()
    for number in range(shape.layers):
        x = made.layer(x, bias, number)
    made.node("Identity", [x], "last_hidden_state")
    made.give("last_hidden_state", ["batch", "sequence", shape.width])
    return made.model("pragaura-embedder")


def between(trunk: dict[str, torch.Tensor], tuned: dict[str, torch.Tensor], share: float) -> dict[str, torch.Tensor]:
    """Weights on the line from the trunk (`share` 0) to the tuned model (1): Wortsman et al. 2022, WiSE-FT."""
    return {name: torch.lerp(trunk[name], tuned[name], share) for name in trunk}
