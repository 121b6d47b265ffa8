"""Keeps the development sets out of the training data, by normalised text."""

import re
import unicodedata
from pathlib import Path

from .sources import DEVELOPMENT
from .tables import rows_of, strings_of

# Shorter texts ("Is it?") say nothing about where they come from.
MIN_CHARS = 20
NOT_WORD = re.compile(r"[\W_]+")


def normal(text: str) -> str:
    """Letters and digits alone, small: what stays the same when a text is tokenised and put together again."""
    return NOT_WORD.sub("", unicodedata.normalize("NFKD", text).casefold())


class Leakage:
    """Texts of the development sets. `hypotheses` of NLI sets count only together with their premise."""

    def __init__(self, texts: set[int], pairs: set[int]):
        self.texts = texts
        self.pairs = pairs

    @classmethod
    def of(cls, data: Path, files: tuple[str, ...] = DEVELOPMENT) -> "Leakage":
        texts: set[int] = set()
        pairs: set[int] = set()
        for file in files:
            path = data / file
            if ".tsv" in path.suffixes:
                for row in rows_of(path):
                    sides = [row[key] for key in ("premise", "query", "passage") if key in row]
                    texts.update(_keys(sides))
                    if "hypothesis" in row:
                        pairs.add(_pair(row["premise"], row["hypothesis"]))
                        # The other way round counts too: paraphrase sets are mirrored.
                        pairs.add(_pair(row["hypothesis"], row["premise"]))
            else:
                texts.update(_keys(strings_of(path)))
        return cls(texts, pairs)

    def has(self, *texts: str) -> bool:
        """Whether one of the texts is a premise, question or passage of a development set."""
        return any(key in self.texts for key in _keys(texts))

    def has_pair(self, premise: str, hypothesis: str) -> bool:
        return _pair(premise, hypothesis) in self.pairs


def _keys(texts):
    for text in texts:
        key = normal(text)
        if len(key) >= MIN_CHARS:
            yield hash(key)


def _pair(premise: str, hypothesis: str) -> int:
    return hash((normal(premise), normal(hypothesis)))
