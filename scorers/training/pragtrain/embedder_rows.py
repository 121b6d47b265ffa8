"""Training batches of the embedder: texts as word pieces, and which belong together.

    python -m pragtrain.embedder_rows --data ../../../shared/data --dist ../../dist --work WORK

writes `WORK/rows.npz`, `WORK/choose.json` and `WORK/rows.json`; with `--manuals FOLDER` questions on manuals, too. A batch is
made of clusters: a passage and those that the product's own retrieval ranks high for its questions, each with some questions of
its own. So each passage is the answer of some rows and a hard negative of others, and is embedded once for all of them.
"""

import argparse
import io
import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .embedder_pool import Asking, Pool, gather
from .embedder_sources import check
from .leakage import Leakage, normal
from .sequences import Words
from .work import say, sha256_of, write_whole

# Word pieces of a text at most, [CLS] and [SEP] left out.
MOST = 190
WORDS_SEEN = 130
TITLE_SHARE = 0.35
# Passages of a cluster, and how many of them may be there a second time in one pass where new ones are rare.
CLUSTER = 8
AGAIN = 3
# Questions of a passage in one pass.
EACH = 3


@dataclass(frozen=True)
class Batch:
    """Numbers of texts. `gold`: for each asking, the place of its passage in `passages`. `blocked`: (asking, passage)
    places that are no negatives although they are not gold."""

    askings: np.ndarray
    passages: np.ndarray
    gold: np.ndarray
    blocked: np.ndarray


@dataclass(frozen=True)
class Texts:
    """Word pieces of text i: `ids[begins[i]:begins[i + 1]]`, without special ones. `asks`: whether it is a question."""

    ids: np.ndarray
    begins: np.ndarray
    asks: np.ndarray

    def __len__(self) -> int:
        return len(self.begins) - 1

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.begins)

    def padded(self, numbers: np.ndarray, head: list[int], tail: int) -> tuple[np.ndarray, np.ndarray]:
        """`head` + text + `tail` for each of the texts, padded to the longest with 0, and the mask; int64."""
        sizes = self.lengths[numbers] + len(head) + 1
        ids = np.zeros((len(numbers), int(sizes.max())), np.int64)
        for row, number in enumerate(numbers):
            ids[row, : sizes[row]] = [*head, *self.ids[self.begins[number] : self.begins[number + 1]], tail]
        return ids, (np.arange(ids.shape[1]) < sizes[:, None]).astype(np.int64)


class Maker:
    """Turns pools into texts and batches."""

    def __init__(self, words: Words, seed: int, tokens: int):
        self.words, self.seed, self.tokens = words, seed, tokens
        self.texts: list[str] = []
        self.asks: list[bool] = []
        self.sizes: list[int] = []

    def _put(self, texts: list[str], asks: bool) -> list[int]:
        begin = len(self.texts)
        self.texts += texts
        self.asks += [asks] * len(texts)
        self.sizes += [min(MOST, len(e.ids)) + 2 for e in self.words.encode(texts)]
        return list(range(begin, len(self.texts)))

    def batches(self, name: str, pool: Pool, passes: int) -> list[list[Batch]]:
        """Batches of each pass."""
        rng = random.Random(f"{self.seed}:{name}")
        keys = sorted(pool.passages)
        titled = [f"{t}: {p}" if t and rng.random() < TITLE_SHARE else p for t, p in (pool.passages[k] for k in keys)]
        passage_of = dict(zip(keys, self._put(titled, False)))
        asking_of = self._put([a.text for a in pool.askings], True)
        held = {key: normal(pool.passages[key][1]) for key in keys}
        own: dict[str, list[int]] = {key: [] for key in keys}
        for i, asking in enumerate(pool.askings):
            own[asking.gold[0]].append(i)
        for places in own.values():
            rng.shuffle(places)
        made = []
        for turn in range(passes):
            found = clusters(pool.near, [key for key in keys if own[key]], random.Random(f"{self.seed}:{name}:{turn}"))
            groups = self._groups(found, own, passage_of, asking_of, turn)
            made.append([self._batch(group, pool.askings, passage_of, asking_of, held) for group in groups])
        return made

    def _groups(self, found, own, passage_of, asking_of, turn):
        """Clusters put together until a batch is full: (passages, askings) by key and by number."""
        passages: dict[str, None] = {}
        askings: list[int] = []
        size = 0
        for cluster, fresh in found:
            for key in cluster:
                if key not in passages:
                    passages[key] = None
                    size += self.sizes[passage_of[key]]
            for key in fresh:
                mine = own[key]
                take = [mine[(turn * EACH + i) % len(mine)] for i in range(min(EACH, len(mine)))]
                askings += take
                size += sum(self.sizes[asking_of[i]] for i in take)
            if size >= self.tokens:
                yield list(passages), askings
                passages, askings, size = {}, [], 0
        if size > self.tokens / 2:
            yield list(passages), askings

    @staticmethod
    def _batch(group, every: list[Asking], passage_of, asking_of, held) -> Batch:
        keys, askings = group
        place = {key: i for i, key in enumerate(keys)}
        blocked = []
        for row, number in enumerate(askings):
            asking = every[number]
            others = set(asking.gold[1:])
            for i, key in enumerate(keys):
                if key != asking.gold[0] and (key in others or any(a in held[key] for a in asking.answers)):
                    blocked.append((row, i))
        return Batch(
            np.array([asking_of[i] for i in askings], np.int32),
            np.array([passage_of[key] for key in keys], np.int32),
            np.array([place[every[i].gold[0]] for i in askings], np.int32),
            np.array(blocked, np.int32).reshape(-1, 2),
        )

    def encoded(self) -> Texts:
        ids = [np.array(e.ids[:MOST], np.uint16) for e in self.words.encode(self.texts)]
        return Texts(np.concatenate(ids), np.concatenate([[0], np.cumsum([len(i) for i in ids])]).astype(np.int64), np.array(self.asks))


def clusters(near: dict[str, list[str]], keys: list[str], rng: random.Random) -> list[tuple[list[str], list[str]]]:
    """Every one of `keys` once as (cluster, those of it that are new), seeds in random order."""
    order = list(keys)
    rng.shuffle(order)
    seen: set[str] = set()
    made = []
    for seed in order:
        if seed in seen:
            continue
        fresh, again = [seed], []
        seen.add(seed)
        for key in near.get(seed, []):
            if len(fresh) + len(again) >= CLUSTER:
                break
            if key not in seen:
                seen.add(key)
                fresh.append(key)
            elif key != seed and len(again) < AGAIN:
                again.append(key)
        made.append((fresh + again, fresh))
    rng.shuffle(made)
    return made


def save(path: Path, texts: Texts, batches: list[Batch]) -> None:
    raw = io.BytesIO()
    sides = {name: [getattr(b, name) for b in batches] for name in ("askings", "passages", "gold", "blocked")}
    arrays = {name: np.concatenate(parts) for name, parts in sides.items()}
    counts = {f"{name}.count": np.array([len(part) for part in parts], np.int32) for name, parts in sides.items()}
    np.savez(raw, ids=texts.ids, begins=texts.begins, asks=texts.asks, **arrays, **counts)
    write_whole(path, raw.getvalue())


def load(path: Path) -> tuple[Texts, list[Batch]]:
    with np.load(path) as file:
        sides = {}
        for name in ("askings", "passages", "gold", "blocked"):
            sides[name] = np.split(file[name], np.cumsum(file[f"{name}.count"])[:-1])
        texts = Texts(file["ids"], file["begins"], file["asks"])
    return texts, [Batch(*four) for four in zip(*sides.values())]


def prepare(data: Path, dist: Path, manuals: Path | None, tokenizer: Path, work: Path, seed: int, tokens: int, passes: int, mined: bool, share: float) -> None:
    """Makes the files unless they are there for the same recipe."""
    check()
    target, record = work / "rows.npz", work / "rows.json"
    code = {p.name: sha256_of(p) for p in sorted(Path(__file__).parent.glob("*.py")) if p.name in PARTS}
    recipe = {"seed": seed, "tokens": tokens, "passes": passes, "manuals": manuals is not None, "mined": mined, "share": share, "code": code}
    if target.exists() and record.exists():
        if json.loads(record.read_text())["recipe"] == recipe:
            return
        if (work / "config.json").exists():
            say("the recipe has changed since this run began: it goes on with its own rows")
            return
    pools, choose, sources = gather(
        data, work.parent / "mining" if mined else None, manuals, dist / "main.js", Leakage.of(data), seed, WORDS_SEEN
    )
    maker = Maker(Words(tokenizer), seed, tokens)
    made = {name: maker.batches(name, pool, passes) for name, pool in pools.items()}
    batches: list[Batch] = []
    for turn in range(passes):
        rng = random.Random(f"{seed}:share:{turn}")
        whole = [batch for name, of_pool in made.items() for batch in of_pool[turn] if name == "manuals" or rng.random() < share]
        random.Random(f"{seed}:batches:{turn}").shuffle(whole)
        batches += whole
    texts = maker.encoded()
    work.mkdir(parents=True, exist_ok=True)
    told_choose = {
        name: {"passages": {k: p for k, (_, p) in pool.passages.items()}, "askings": [[a.text, list(a.gold)] for a in pool.askings]}
        for name, pool in choose.items()
    }
    write_whole(work / "choose.json", json.dumps(told_choose).encode())
    save(target, texts, batches)
    seen = sum(int(texts.lengths[np.concatenate([b.askings, b.passages])].sum()) for b in batches)
    told = {
        "recipe": recipe, "sources": sources, "texts": len(texts), "batches": len(batches), "tokens": seen,
        "askings": int(sum(len(b.askings) for b in batches)), "blocked": int(sum(len(b.blocked) for b in batches)),
        "pools": {n: {"passages": len(p.passages), "askings": len(p.askings)} for n, p in {**pools, **choose}.items()},
    }  # fmt: skip
    write_whole(record, f"{json.dumps(told, indent=1)}\n".encode())
    say(f"{len(texts)} texts of {texts.begins[-1] / 1e6:.1f} M word pieces; {len(batches)} batches, {seen / 1e6:.1f} M in all")


# Files whose change makes other rows.
PARTS = {"embedder_rows.py", "embedder_pool.py", "embedder_sources.py", "reading.py", "sources.py", "sequences.py", "leakage.py",
         "tables.py", "mine.py", "written.py", "proposed.py", "manuals.py"}  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).parents[1]
    parser.add_argument("--data", type=Path, default=here / "../../../shared/data")
    parser.add_argument("--dist", type=Path, default=here / "../../dist")
    parser.add_argument("--manuals", type=Path, help="what manuals.py left: questions on manuals, too")
    parser.add_argument("--tokenizer", type=Path, default=here / "../models/bert-uncased/tokenizer.json")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=16_384, help="word pieces of a batch")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--unmined", action="store_true", help="near a paragraph are those of its article: nothing is retrieved")
    parser.add_argument("--share", type=float, default=1.0, help="how many of the batches of public sets there are beside those of manuals")
    args = parser.parse_args()
    prepare(args.data, args.dist, args.manuals, args.tokenizer, args.work, args.seed, args.tokens, args.passes, not args.unmined, args.share)
