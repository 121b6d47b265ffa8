"""Texts to sequences, as the product lays them out.

`[CLS] first [SEP] second [SEP]`, or `[CLS] question [SEP] title [SEP] passage [SEP]` where a title is given; segment 0
up to the separator before the second text (the passage), 1 from there on.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

MAX_TOKENS = 320
MAX_QUESTION = 80
MAX_TITLE = 24


class Words:
    """The WordPiece tokenizer of the product: text never becomes a special token."""

    def __init__(self, file: Path):
        spec = json.loads(file.read_text())
        vocabulary = spec["model"]["vocab"]
        self.cls, self.sep, self.pad = (vocabulary[name] for name in ("[CLS]", "[SEP]", "[PAD]"))
        spec.update(added_tokens=[], post_processor=None, truncation=None, padding=None)
        self.tokenizer = Tokenizer.from_str(json.dumps(spec))

    def encode(self, texts: list[str]) -> list[Encoding]:
        return self.tokenizer.encode_batch(texts, add_special_tokens=False)


@dataclass(frozen=True)
class Sequence:
    """`second`: where segment 1 begins. `start` and `end`: word pieces of the answer, 0 where there is none."""

    ids: np.ndarray
    second: int
    start: int = 0
    end: int = 0


def pair(words: Words, first: Encoding, second: Encoding, most: int = MAX_TOKENS) -> Sequence | None:
    """Two texts as they are; None where they do not fit."""
    if len(first.ids) + len(second.ids) + 3 > most:
        return None
    ids = [words.cls, *first.ids, words.sep, *second.ids, words.sep]
    return Sequence(np.array(ids, np.uint16), len(first.ids) + 2)


def reading(
    words: Words,
    question: Encoding,
    title: Encoding | None,
    passage: Encoding,
    answer: tuple[int, int] | None,
    rng: random.Random,
    most: int = MAX_TOKENS,
) -> Sequence | None:
    """A question against a passage; `answer` in characters of the passage. A passage that is too long becomes a
    window at a random place, round the answer where there is one. None where the answer does not fit.
    """
    head = [words.cls, *question.ids[:MAX_QUESTION], words.sep]
    if title is not None and title.ids:
        head += [*title.ids[:MAX_TITLE], words.sep]
    room = most - len(head) - 1
    begin, stop = 0, len(passage.ids)
    first = last = -1
    if answer is not None:
        inside = [i for i, (s, e) in enumerate(passage.offsets) if s < answer[1] and e > answer[0]]
        if not inside or inside[-1] - inside[0] >= room:
            return None
        first, last = inside[0], inside[-1]
    if stop > room:
        low = 0 if first < 0 else max(0, last + 1 - room)
        high = stop - room if first < 0 else min(stop - room, first)
        begin = rng.randint(low, max(low, high))
        while begin > low and passage.word_ids[begin] == passage.word_ids[begin - 1]:
            begin -= 1
        stop = begin + room
    ids = [*head, *passage.ids[begin:stop], words.sep]
    place = len(head) - begin
    if first < 0:
        return Sequence(np.array(ids, np.uint16), len(head))
    return Sequence(np.array(ids, np.uint16), len(head), first + place, last + place)
