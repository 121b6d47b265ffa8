"""Measures and their 95 % intervals. Pure functions over arrays."""

import math
import re
import string

import numpy as np

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = set(string.punctuation)


def wilson(right: int, count: int) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927)."""
    if count == 0:
        return 0.0, 1.0
    z, share = 1.959964, right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def spread(values: np.ndarray, groups: list[str] | None = None, draws: int = 1000) -> tuple[float, float]:
    """Percentile bootstrap of a mean; whole groups are drawn where rows of one group depend on each other."""
    rng = np.random.default_rng(1)
    names, member = np.unique(groups if groups is not None else np.arange(len(values)), return_inverse=True)
    sums, counts = np.bincount(member, values), np.bincount(member)
    drawn = rng.integers(0, len(names), (draws, len(names)))
    means = sums[drawn].sum(1) / counts[drawn].sum(1)
    return tuple(float(x) for x in np.percentile(means, [2.5, 97.5]))


def auroc(scores: np.ndarray, positive: np.ndarray) -> float:
    """Chance that a positive scores above a negative, ties counting half (Mann and Whitney 1947)."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    many = int(positive.sum())
    few = len(scores) - many
    if many == 0 or few == 0:
        raise ValueError("needs both positives and negatives")
    return float((ranks[positive].sum() - many * (many + 1) / 2) / (many * few))


def spread_of_auroc(
    scores: list[np.ndarray], positive: np.ndarray, groups: list[str] | None = None, draws: int = 200
) -> tuple[float, float]:
    """Percentile bootstrap of the AUROC of one score, or of the first's less the second's; whole groups are drawn. Draws
    without a positive or a negative are left out."""
    rng = np.random.default_rng(1)
    names, member = np.unique(groups if groups is not None else np.arange(len(positive)), return_inverse=True)
    members = np.split(np.argsort(member, kind="stable"), np.cumsum(np.bincount(member))[:-1])
    drawn = [np.concatenate([members[g] for g in rng.integers(0, len(names), len(names))]) for _ in range(draws)]
    drawn = [d for d in drawn if 0 < positive[d].sum() < len(d)]
    found = [[auroc(one[d], positive[d]) for one in scores] for d in drawn]
    low, high = np.percentile([f[0] - (f[1] if len(f) > 1 else 0.0) for f in found], [2.5, 97.5])
    return float(low), float(high)


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """The temperature of least negative log likelihood, between .2 and 5, by golden-section search (Guo et al. 2017)."""

    def loss(t: float) -> float:
        return float(-np.log(softmax(logits / t)[np.arange(len(labels)), labels] + 1e-12).mean())

    low, high = math.log(0.2), math.log(5.0)
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(60):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if loss(math.exp(a)) < loss(math.exp(b)):
            high = b
        else:
            low = a
    return math.exp((low + high) / 2)


def calibration_error(probabilities: np.ndarray, labels: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error of the top label, equal-width bins."""
    top, right = probabilities.max(1), probabilities.argmax(1) == labels
    place = np.minimum((top * bins).astype(int), bins - 1)
    return float(sum(abs(top[place == b].mean() - right[place == b].mean()) * (place == b).mean() for b in range(bins) if (place == b).any()))


def calibration_interval(probabilities: np.ndarray, labels: np.ndarray, draws: int = 1000) -> tuple[float, float]:
    """Basic bootstrap of `calibration_error` over rows, 95 %: a resample's error is larger than that of the rows that it
    was drawn from, so the percentiles are mirrored at the estimate (Davison and Hinkley 1997, section 5.2)."""
    rng = np.random.default_rng(1)
    found = calibration_error(probabilities, labels)
    drawn = [rng.integers(len(labels), size=len(labels)) for _ in range(draws)]
    low, high = np.percentile([calibration_error(probabilities[d], labels[d]) for d in drawn], [2.5, 97.5])
    return max(0.0, float(2 * found - high)), min(1.0, max(found, float(2 * found - low)))


def plain(answer: str) -> str:
    """As SQuAD's own script: small letters, no punctuation, no articles, single spaces."""
    kept = "".join(char for char in answer.lower() if char not in PUNCTUATION)
    return " ".join(ARTICLES.sub(" ", kept).split())


def exact(given: str, answers: list[str]) -> float:
    return float(any(plain(given) == plain(answer) for answer in answers))


def f1(given: str, answers: list[str]) -> float:
    def one(answer: str) -> float:
        a, b = plain(given).split(), plain(answer).split()
        if not a or not b:
            return float(a == b)
        common = sum(min(a.count(word), b.count(word)) for word in set(a))
        return 0.0 if common == 0 else 2 * common / (len(a) + len(b))

    return max(one(answer) for answer in answers)
