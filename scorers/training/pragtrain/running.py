"""Runs exported graphs, each sequence alone, as the product does."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime


def session(model: Path | bytes, threads: int = 1) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(model), options)


def alone(pieces: Sequence[int] | np.ndarray, types: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Inputs of a graph for one sequence of word pieces, 1 x length; without `types` it is of one part."""
    ids = np.array([pieces], np.int64)
    return {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids) if types is None else types.astype(np.int64)[None],
    }
