"""How sequences are laid out, as examples for the product's own test of its layout.

    python -m pragtrain.layouts > ../runtime/testing/layouts.json
"""

import json
import random
import sys
from pathlib import Path

from .sequences import Words, pair, reading

TOKENIZER = Path(__file__).parents[2] / "models/bert-uncased/tokenizer.json"
QUESTION = "When was the old bridge at Zürich opened?"
PASSAGE = "The bridge was opened in 1932, after six years' work; it cost 1,200 crowns [SEP] and no lives."
LONG = "stone " * 400
READINGS = (
    (QUESTION, None, PASSAGE),
    (QUESTION, "Bridges of Zürich", PASSAGE),
    (QUESTION, "", PASSAGE),
    (QUESTION, " \u200b ", PASSAGE),
    ("why " * 200, None, PASSAGE),
    ("why " * 200, "Bridges of Zürich", PASSAGE),
    (QUESTION, "unaffable bridges " * 20, PASSAGE),
    (QUESTION, None, LONG),
    (QUESTION, "Bridges of Zürich", LONG),
    ("why " * 200, "bridges " * 60, LONG),
)
PAIRS = ((PASSAGE, "The bridge was opened in 1932."), ("", QUESTION))


def examples() -> dict[str, list[dict]]:
    """A passage that is too long is cut to its beginning, as the first of the product's windows."""
    words = Words(TOKENIZER)
    found: dict[str, list[dict]] = {"readings": [], "pairs": []}
    for query, title, passage in READINGS:
        asked, named, text = words.encode([query, title or "", passage])
        made = reading(words, asked, None if title is None else named, text, (0, 1), random.Random(0))
        found["readings"].append({"query": query, "title": title, "passage": passage, **_told(made)})
    for premise, hypothesis in PAIRS:
        first, second = words.encode([premise, hypothesis])
        found["pairs"].append({"premise": premise, "hypothesis": hypothesis, **_told(pair(words, first, second))})
    return found


def _told(sequence) -> dict:
    return {"ids": sequence.ids.tolist(), "second": sequence.second}


def main() -> None:
    json.dump(examples(), sys.stdout, ensure_ascii=False, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
