"""Questions that their paragraph does not answer, made from questions that it does (as in SQuAD 2.0)."""

import random
import re

from .leakage import normal

OPPOSITES = {}
for pair in (
    "first last,largest smallest,biggest smallest,highest lowest,oldest youngest,oldest newest,before after,north south,"
    "northern southern,east west,eastern western,more less,most least,increase decrease,increased decreased,"
    "increases decreases,begin end,began ended,beginning end,start finish,started stopped,start stop,won lost,win lose,"
    "male female,men women,early late,earliest latest,best worst,better worse,maximum minimum,major minor,allowed banned,"
    "legal illegal,positive negative,strong weak,stronger weaker,longest shortest,long short,longer shorter,rich poor,"
    "wealthy poor,founded dissolved,opened closed,open close,born killed,joined left,gained lost,gain lose,rise fall,rose fell,"
    "advantage disadvantage,advantages disadvantages,benefit drawback,benefits drawbacks,success failure,successful failed,"
    "support oppose,supported opposed,accept reject,accepted rejected,agree disagree,enemy ally,enemies allies,heavy light,"
    "hot cold,warm cold,hottest coldest,wet dry,inside outside,above below,upper lower,left right,internal external,public private,"
    "urban rural,modern ancient,common rare,easy difficult,same different,majority minority,arrive depart,arrived departed,"
    "include exclude,included excluded,create destroy,created destroyed,built demolished,added removed,add remove,"
    "approved refused,import export,imported exported,buy sell,bought sold,teacher student,father mother,son daughter,"
    "brother sister,husband wife,king queen,day night,summer winter,love hate,liked disliked,known unknown,able unable,"
    "likely unlikely,usually never,always never,with without,domestic foreign,front rear,top bottom,deep shallow,fast slow,"
    "faster slower,fastest slowest,hard soft,thick thin,wide narrow,young old,younger older,cheap expensive"
).split(","):  # fmt: skip
    one, other = pair.split()
    OPPOSITES.setdefault(one, other)
    OPPOSITES.setdefault(other, one)

AUXILIARY = {"is", "are", "was", "were", "can", "could", "will", "would", "should", "must", "may", "has", "had", "have"}
DO = {"did", "does", "do"}
STARTERS = set(
    "what who whom whose which when where why how in on at the a an is are was were did does do to for from by of "
    "during after before according name".split()
)
NAME = re.compile(r"\b[A-Z][\w'’.-]*(?: (?:(?:of|the|de|von|van) )?[A-Z][\w'’.-]*)*")
NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")


def names_in(text: str, question: bool = False) -> list[str]:
    """Runs of capitalised words; in a question not the word that opens it."""
    found = []
    for match in NAME.finditer(text):
        words = match.group().rstrip(".'’-").split(" ")
        if match.start() == 0:
            if question or words[0].lower() in STARTERS or len(words) == 1:
                words = words[1:]
        while words and words[0].lower() in STARTERS:
            words = words[1:]
        name = " ".join(words)
        if len(name) > 2:
            found.append(name)
    return found


def variants(query: str, passage: str, others: list[str], rng: random.Random) -> list[tuple[str, str]]:
    """(how, question) of each way in which this question can be spoilt; none that leaves it as it was.

    `others`: names from the same article or source to take another one from.
    """
    held = normal(passage)
    found: list[tuple[str, str]] = []
    strange = [name for name in others if normal(name) not in held and normal(name) not in normal(query)]
    for name in names_in(query, question=True):
        alike = [other for other in strange if len(other.split()) == len(name.split())] or strange
        if alike and normal(name) in held:
            found.append(("name", query.replace(name, rng.choice(alike), 1)))
    for match in NUMBER.finditer(query):
        number = match.group()
        other = _other_number(number, rng)
        if other is not None and other not in passage:
            found.append(("number", query[: match.start()] + other + query[match.end() :]))
    words = query.split()
    for i, word in enumerate(words):
        bare = word.strip("?,.'\"").lower()
        if bare in OPPOSITES and i > 0:
            turned = OPPOSITES[bare]
            if turned not in passage.lower():
                found.append(("opposite", " ".join([*words[:i], word.lower().replace(bare, turned), *words[i + 1 :]])))
    negated = _negated(words)
    if negated is not None:
        found.append(("negation", negated))
    return [(how, text) for how, text in found if normal(text) != normal(query)]


def _other_number(number: str, rng: random.Random) -> str | None:
    plain = number.replace(",", "")
    if "." in plain or len(plain) > 9:
        return None
    value = int(plain)
    if 1000 <= value <= 2100 and "," not in number:
        return str(value + rng.choice([-1, 1]) * rng.randint(2, 40))
    made = max(1, value + rng.choice([-1, 1]) * rng.randint(1, max(2, value // 2)))
    return None if made == value else f"{made:,}" if "," in number else str(made)


def _negated(words: list[str]) -> str | None:
    """ "What did X win" -> "What did X not win"; "Which city is old" -> "Which city is not old"."""
    lower = [word.lower() for word in words]
    if "not" in lower or any(word.endswith("n't") for word in lower):
        return None
    at = next((i for i, word in enumerate(lower) if word in DO and i < 6), -1)
    if at >= 0:
        # The main verb: the first small word behind a name or a noun; a guess that is right more often than not.
        for i in range(at + 2, len(words)):
            if words[i - 1][0].isupper() and words[i][0].islower() and lower[i] not in STARTERS and lower[i] != "and":
                return " ".join([*words[:i], "not", *words[i:]])
        return None
    at = next((i for i, word in enumerate(lower) if word in AUXILIARY and 0 < i < 8), -1)
    if at < 0 or at + 1 >= len(words) or lower[at - 1] not in {"who", "what", "which"} and at < 2:
        return None
    if lower[0] in {"who", "which"}:
        return " ".join([*words[: at + 1], "not", *words[at + 1 :]])
    return None
