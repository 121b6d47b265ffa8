"""Encoded training rows in one file, and the order in which a run reads them."""

import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .sequences import Sequence
from .work import write_whole

FIELDS = ("ids", "begins", "second", "kind", "label", "start", "end", "weight", "origin", "group")


@dataclass(frozen=True)
class Row:
    """`kind` and `label` as in `model.py`; `origin` names what the row was made from, for the card. Rows of one `group`, other
    than -1, are passages for one question and come in one batch.
    """

    sequence: Sequence
    kind: int
    label: int
    weight: float
    origin: str
    group: int = -1


@dataclass
class Store:
    """Rows side by side: word pieces of row i are `ids[begins[i]:begins[i + 1]]`."""

    ids: np.ndarray
    begins: np.ndarray
    second: np.ndarray
    kind: np.ndarray
    label: np.ndarray
    start: np.ndarray
    end: np.ndarray
    weight: np.ndarray
    origin: np.ndarray
    group: np.ndarray
    origins: list[str]

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.begins)

    @classmethod
    def of(cls, rows: list[Row]) -> "Store":
        origins = sorted({row.origin for row in rows})
        number = {origin: i for i, origin in enumerate(origins)}
        sequences = [row.sequence for row in rows]
        return cls(
            np.concatenate([s.ids for s in sequences]),
            np.concatenate([[0], np.cumsum([len(s.ids) for s in sequences])]).astype(np.int64),
            np.array([s.second for s in sequences], np.uint16),
            np.array([row.kind for row in rows], np.uint8),
            np.array([row.label for row in rows], np.uint8),
            np.array([s.start for s in sequences], np.uint16),
            np.array([s.end for s in sequences], np.uint16),
            np.array([row.weight for row in rows], np.float32),
            np.array([number[row.origin] for row in rows], np.uint16),
            np.array([row.group for row in rows], np.int32),
            origins,
        )

    def save(self, path: Path) -> None:
        raw = io.BytesIO()
        np.savez(raw, origins=np.frombuffer(json.dumps(self.origins).encode(), np.uint8), **{f: getattr(self, f) for f in FIELDS})
        write_whole(path, raw.getvalue())

    @classmethod
    def load(cls, path: Path) -> "Store":
        with np.load(path) as file:
            origins = json.loads(file["origins"].tobytes().decode())
            return cls(*(file[f] for f in FIELDS), origins)

    def batch(self, rows: np.ndarray, pad: int = 0, multiple: int = 1) -> dict[str, np.ndarray]:
        """Padded to the longest of the rows, and on to a multiple: ids, segments and mask are rows x length, int64."""
        lengths = self.lengths[rows]
        width = -(-int(lengths.max()) // multiple) * multiple
        ids = np.full((len(rows), width), pad, np.int64)
        for i, row in enumerate(rows):
            ids[i, : lengths[i]] = self.ids[self.begins[row] : self.begins[row + 1]]
        places = np.arange(width)[None]
        mask = places < lengths[:, None]
        segments = (places >= self.second[rows][:, None]) & mask
        whole = {name: getattr(self, name)[rows].astype(np.int64) for name in ("kind", "label", "start", "end", "group")}
        return {"ids": ids, "segments": segments.astype(np.int64), "mask": mask.astype(np.int64), **whole, "weight": self.weight[rows]}


def order(lengths: np.ndarray, group: np.ndarray, seed: int, tokens: int, pool: int = 24) -> list[np.ndarray]:
    """Batches of at most `tokens` padded word pieces, every row once. Rows of one group (other than -1) come in one batch, which a
    group that is too large has to itself. What is of like length comes together within stretches of about `pool` batches;
    batches come in random order. The same seed gives the same order.
    """
    rng = np.random.default_rng(seed)
    ids = np.where(group < 0, -1 - np.arange(len(group)), group)
    by_id = np.argsort(ids, kind="stable")
    units = np.split(by_id, np.flatnonzero(np.diff(ids[by_id])) + 1) if len(ids) else []
    longest = np.array([lengths[unit].max() for unit in units], np.int64)
    turn = rng.permutation(len(units))
    stretch = max(1, int(pool * tokens / max(1.0, float(lengths.sum()) / max(1, len(units)))))
    batches: list[np.ndarray] = []
    for at in range(0, len(turn), stretch):
        part = turn[at : at + stretch]
        batch: list[np.ndarray] = []
        rows = 0
        for i in part[np.argsort(longest[part], kind="stable")]:
            if batch and (rows + len(units[i])) * longest[i] > tokens:
                batches.append(np.concatenate(batch))
                batch, rows = [], 0
            batch.append(units[i])
            rows += len(units[i])
        batches.append(np.concatenate(batch))
    return [batches[i] for i in rng.permutation(len(batches))]
