"""The cross-encoder: a BERT trunk, heads on its last layer, and a relevance head on a layer in the middle.

Attention is written out on a CPU, where a fused kernel's backward pass is slower, and nothing is dropped out.
"""

import math
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn

NLI = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True)
class Shape:
    """`exit`: after how many layers the early relevance head reads; 0 for none. `buckets`: distances between tokens that
    attention tells apart, half of them backwards; 0 for none (MPNet has 32; Raffel et al. 2020, as T5 has them).
    """

    layers: int = 12
    width: int = 384
    heads: int = 12
    inner: int = 1536
    vocabulary: int = 30_522
    positions: int = 512
    exit: int = 6
    buckets: int = 0

    def record(self) -> dict[str, int]:
        return asdict(self)


class Layer(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, shape.inner)
        self.down = nn.Linear(shape.inner, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        rows, length, width = x.shape
        q, k, v = self.qkv(x).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        if x.is_cuda:
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        else:
            scores = (q * (1 / math.sqrt(q.shape[-1]))) @ k.transpose(-1, -2) + bias.to(q.dtype)
            # Autocast would widen the largest tensors of the whole network to 32 bits here.
            with torch.autocast(x.device.type, enabled=False):
                shares = scores.softmax(-1)
            mixed = shares @ v
        x = self.norm1(x + self.out(mixed.transpose(1, 2).reshape(rows, length, width)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Head(nn.Module):
    """A tanh projection of one vector a row, then logits."""

    def __init__(self, width: int, outputs: int):
        super().__init__()
        self.pool = nn.Linear(width, width)
        self.out = nn.Linear(width, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(torch.tanh(self.pool(x)))


class CrossEncoder(nn.Module):
    """Logits of all heads. Ids, segments (0 or 1) and mask (1 where there is a token): rows x length, int64."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.segments = nn.Embedding(2, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.nli = Head(shape.width, len(NLI))
        self.relevance = Head(shape.width, 1)
        self.span = nn.Linear(shape.width, 2)
        if shape.exit:
            self.early = Head(shape.width, 1)
        if shape.buckets:
            self.nearness = nn.Embedding(shape.buckets, shape.heads)

    def forward(self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor) -> dict[str, torch.Tensor]:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.places(places) + self.segments(segments))
        bias = ((1.0 - mask[:, None, None, :].to(x.dtype)) * -1e4).to(x.dtype)
        if self.shape.buckets:
            # As a product: the gradient of a look-up sums a hundred thousand rows into thirty-two one by one.
            which = F.one_hot(distance_buckets(ids.shape[1], self.shape.buckets, ids.device), self.shape.buckets).to(x.dtype)
            bias = bias + (which @ self.nearness.weight).permute(2, 0, 1)[None]
        found: dict[str, torch.Tensor] = {}
        for number, layer in enumerate(self.layers, 1):
            x = layer(x, bias)
            if number == self.shape.exit:
                # The mean over tokens: in the middle of a trunk the first token carries nothing that a head could use.
                seen = mask[..., None].to(x.dtype)
                found["early"] = self.early((x * seen).sum(1) / seen.sum(1))[:, 0].float()
        spans = self.span(x).float()
        found["nli"] = self.nli(x[:, 0]).float()
        found["relevance"] = self.relevance(x[:, 0])[:, 0].float()
        # Spans lie in the second text; position 0 stands for "no answer here".
        allowed = (segments * mask).bool()
        allowed = torch.cat([torch.ones_like(allowed[:, :1]), allowed[:, 1:]], 1)
        found["start"] = spans[..., 0].masked_fill(~allowed, -1e4)
        found["end"] = spans[..., 1].masked_fill(~allowed, -1e4)
        return found

    def take_trunk(self, tensors: dict[str, torch.Tensor]) -> None:
        """Copies a trunk in (names as in `trunks.py`): its first layers where it has more than this has."""

        def put(target: torch.Tensor, *names: str) -> None:
            value = torch.cat([tensors[name] for name in names])
            if value.shape != target.shape:
                raise ValueError(f"{names[0]}: {tuple(value.shape)}, expected {tuple(target.shape)}")
            with torch.no_grad():
                target.copy_(value)

        for part in ("weight", "bias"):
            put(getattr(self.norm, part), f"embeddings.LayerNorm.{part}")
        put(self.words.weight, "embeddings.word_embeddings.weight")
        put(self.places.weight, "embeddings.position_embeddings.weight")
        if self.shape.buckets:
            put(self.nearness.weight, "encoder.relative_attention_bias.weight")
            # Such a trunk knows no segments.
            nn.init.zeros_(self.segments.weight)
        else:
            put(self.segments.weight, "embeddings.token_type_embeddings.weight")
        for i, layer in enumerate(self.layers):
            base = f"encoder.layer.{i}"
            for part in ("weight", "bias"):
                put(getattr(layer.qkv, part), *(f"{base}.attention.self.{m}.{part}" for m in ("query", "key", "value")))
                put(getattr(layer.out, part), f"{base}.attention.output.dense.{part}")
                put(getattr(layer.norm1, part), f"{base}.attention.output.LayerNorm.{part}")
                put(getattr(layer.up, part), f"{base}.intermediate.dense.{part}")
                put(getattr(layer.down, part), f"{base}.output.dense.{part}")
                put(getattr(layer.norm2, part), f"{base}.output.LayerNorm.{part}")

    def freeze(self, layers: int) -> None:
        """Nothing is learned any more by the embeddings and that many layers, nor by the early head where it stands on them."""
        below = [self.words, self.places, self.segments, self.norm, *self.layers[:layers]]
        below += [self.nearness] if self.shape.buckets else []
        below += [self.early] if 0 < self.shape.exit <= layers else []
        for module in below:
            module.requires_grad_(False)

    def start_heads(self) -> None:
        """Heads from a small normal distribution, drawn from torch's own generator (seed it before)."""
        for module in (self.nli, self.relevance, self.span, *([self.early] if self.shape.exit else [])):
            for each in module.modules():
                if isinstance(each, nn.Linear):
                    nn.init.normal_(each.weight, std=0.02)
                    nn.init.zeros_(each.bias)


def distance_buckets(length: int, buckets: int, device: torch.device, farthest: int = 128) -> torch.Tensor:
    """length x length: the bucket of the distance from a token (row) to another (column). Half of the buckets are for those
    behind it; of each half, half is for single distances and the rest grows in logarithms up to `farthest`.
    """
    places = torch.arange(length, device=device)
    back = places[:, None] - places[None, :]
    half = buckets // 2
    near = half // 2
    distance = back.abs()
    far = near + (torch.log(distance.clamp(min=1).float() / near) / math.log(farthest / near) * (half - near)).long()
    return torch.where(back < 0, half, 0) + torch.where(distance < near, distance, far.clamp(max=half - 1))


# What the loss of a row reads; `batches.py` writes these codes.
KIND_NLI, KIND_READ, KIND_RELEVANCE, KIND_SPAN_ONLY = range(4)
NOT_ENTAILMENT = 3


def loss_of(found: dict[str, torch.Tensor], batch: dict[str, torch.Tensor], early_weight: float = 0.5) -> dict[str, torch.Tensor]:
    """Weighted sums over the rows of a batch, by kind, and their total divided by the number of rows. A row of weight 0 is for
    a teacher alone (`loss_beside`).

    `kind`, `label`, `start`, `end` (int64) and `weight` (float) are one a row. A row of NLI with the label
    NOT_ENTAILMENT is trained on P(entailment) alone. Reading: relevance BCE + half of the span cross-entropies,
    and the early head's BCE times `early_weight`. `group` (int64): passages for one question, where it is not -1; each that
    answers is also held against those of its group that do not (localized contrastive estimation, Gao et al. 2021).
    """
    kind, label, weight = batch["kind"], batch["label"], batch["weight"]
    rows = kind.shape[0]
    parts: dict[str, torch.Tensor] = {}
    nli = kind == KIND_NLI
    if nli.any():
        logs = found["nli"][nli].log_softmax(-1)
        wanted = label[nli]
        three = logs.gather(1, wanted.clamp(max=2)[:, None])[:, 0]
        either = torch.logsumexp(logs[:, 1:], 1)
        parts["nli"] = -(torch.where(wanted == NOT_ENTAILMENT, either, three) * weight[nli]).sum()
    ranked = (kind == KIND_READ) | (kind == KIND_RELEVANCE)
    if ranked.any():
        target = label[ranked].float()
        bce = F.binary_cross_entropy_with_logits(found["relevance"][ranked], target, reduction="none")
        parts["relevance"] = (bce * weight[ranked]).sum()
        if "early" in found:
            bce = F.binary_cross_entropy_with_logits(found["early"][ranked], target, reduction="none")
            parts["early"] = early_weight * (bce * weight[ranked]).sum()
        against = _wrong_of_group(batch["group"], label, ranked & (weight > 0))
        right = against.any(1)
        if right.any():
            parts["listwise"] = (_against(found["relevance"], against)[right] * weight[right]).sum()
            if "early" in found:
                parts["early"] = parts["early"] + early_weight * (_against(found["early"], against)[right] * weight[right]).sum()
    read = (kind == KIND_READ) | (kind == KIND_SPAN_ONLY)
    if read.any():
        both = F.cross_entropy(found["start"][read], batch["start"][read], reduction="none")
        both = both + F.cross_entropy(found["end"][read], batch["end"][read], reduction="none")
        parts["span"] = 0.5 * (both * weight[read]).sum()
    parts["total"] = sum(parts.values()) / rows
    return parts


# What a teacher is sure of says little beside a label; at this temperature it shows what it holds for nearly as good.
TEMPERATURE = 2.0


def loss_beside(
    found: dict[str, torch.Tensor], taught: dict[str, torch.Tensor], batch: dict[str, torch.Tensor], early_weight: float = 0.5
) -> dict[str, torch.Tensor]:
    """As `loss_of`, with a teacher's logits for labels: cross-entropies at `TEMPERATURE`, times its square (Hinton et al. 2015).
    `listwise`: over all passages of a group, one a group.
    """
    kind = batch["kind"]
    weight = torch.where(batch["weight"] > 0, batch["weight"], torch.ones_like(batch["weight"]))
    scale = TEMPERATURE**2
    parts: dict[str, torch.Tensor] = {}

    def crossed(mine: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
        return -((theirs / TEMPERATURE).softmax(-1) * (mine / TEMPERATURE).log_softmax(-1)).sum(-1) * scale

    nli = kind == KIND_NLI
    if nli.any():
        parts["nli"] = (crossed(found["nli"][nli], taught["nli"][nli]) * weight[nli]).sum()
    ranked = (kind == KIND_READ) | (kind == KIND_RELEVANCE)
    if ranked.any():
        wanted = (taught["relevance"][ranked] / TEMPERATURE).sigmoid()
        same = _same_group(batch["group"], ranked)
        groups = same.any(1)
        sizes = same.sum(1).clamp(min=1)
        for name, times in {"relevance": 1.0, "early": early_weight}.items():
            if name not in found:
                continue
            bce = F.binary_cross_entropy_with_logits(found[name][ranked] / TEMPERATURE, wanted, reduction="none") * scale
            parts[name] = times * (bce * weight[ranked]).sum()
            if groups.any():
                mine, theirs = (scores[None, :].expand(len(kind), -1).masked_fill(~same, -1e4)[groups] for scores in (found[name], taught["relevance"]))
                listed = times * (crossed(mine, theirs) / sizes[groups]).sum()
                parts["listwise"] = parts.get("listwise", 0.0) + listed
    read = (kind == KIND_READ) | (kind == KIND_SPAN_ONLY)
    if read.any():
        both = crossed(found["start"][read], taught["start"][read]) + crossed(found["end"][read], taught["end"][read])
        parts["span"] = 0.5 * (both * weight[read]).sum()
    parts["total"] = sum(parts.values()) / kind.shape[0]
    return parts


def _same_group(group: torch.Tensor, ranked: torch.Tensor) -> torch.Tensor:
    """rows x rows: which passages are of one group, each with itself; nothing for a row that is of none."""
    return (group[:, None] == group[None, :]) & ((group >= 0) & ranked)[:, None] & ranked[None, :]


def _wrong_of_group(group: torch.Tensor, label: torch.Tensor, ranked: torch.Tensor) -> torch.Tensor:
    """rows x rows: for a passage that answers, those of its group that do not; nothing for any other row."""
    return _same_group(group, ranked) & (label == 1)[:, None] & (label == 0)[None, :]


def _against(scores: torch.Tensor, against: torch.Tensor) -> torch.Tensor:
    """-log of the share that each row's score has beside those of the rows it is held against."""
    others = scores[None, :].expand(len(scores), -1).masked_fill(~against, -1e4)
    return torch.logsumexp(torch.cat([scores[:, None], others], 1), 1) - scores
