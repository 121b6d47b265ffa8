"""Made-up NLI rows against shortcuts: shared words that do not entail, numbers, dates, duties.

Templates and words are our own; none is taken from an evaluation set. The frames around natural sentences take
those sentences from SNLI and MultiNLI training hypotheses.
"""

import random

ENTAILS, NEUTRAL, CONTRADICTS, NOT = "entailment", "neutral", "contradiction", "not_entailment"
Row = tuple[str, str, str]

PEOPLE = (
    "chef pilot nurse baker plumber painter gardener farmer soldier sailor dancer singer teacher driver engineer "
    "waiter butcher clerk detective librarian carpenter mechanic tailor referee hunter priest barber cashier coach "
    "dentist florist janitor juggler knight miner neighbour optician potter queen ranger sheriff surgeon tenant "
    "umpire violinist welder burglar captain"
).split()
# Past tense, which is also the participle; transitive.
VERBS = (
    "chased pushed invited greeted visited hired warned praised blamed trusted followed ignored insulted "
    "photographed rescued watched hugged paid phoned questioned rewarded surprised teased tickled annoyed carried "
    "defeated guarded interviewed outsmarted"
).split()
ALONE = "laughed left waved smiled fell sang coughed stumbled arrived whispered yawned shouted complained retired".split()
PLACES = ["the gate", "the stairs", "the fountain", "the harbour", "the old mill", "the bus stop", "the tent", "the river"]
SAID = ["claimed", "hoped", "guessed", "dreamed", "suspected", "feared", "denied", "doubted"]
KNEW = ["knew", "realised", "discovered", "proved", "regretted", "noticed"]


def overlap_rows(count: int, rng: random.Random) -> list[Row]:
    """Pairs whose hypothesis is made of the premise's words, entailed or not in about equal parts."""
    makers = (_swap, _passive, _nested, _subject_of_relative, _near, _and, _or, _embedded, _participle, _garden)
    rows: list[Row] = []
    while len(rows) < count:
        rows += rng.choice(makers)(rng)
    return _tidy(rows)[:count]


def _nouns(rng: random.Random, count: int) -> list[str]:
    return [f"the {noun}{'s' if rng.random() < 0.25 else ''}" for noun in rng.sample(PEOPLE, count)]


def _swap(rng: random.Random) -> list[Row]:
    a, b = _nouns(rng, 2)
    verb, place = rng.choice(VERBS), rng.choice(PLACES)
    lead = rng.choice(["", "", f"near {place} ", "yesterday ", "last week "])
    premise = f"{lead}{a} {verb} {b}"
    return [(premise, f"{b} {verb} {a}", NOT), (premise, f"{a} {verb} {b}", ENTAILS)]


def _was(noun: str) -> str:
    return "were" if noun.endswith("s") else "was"


def _passive(rng: random.Random) -> list[Row]:
    a, b = _nouns(rng, 2)
    verb = rng.choice(VERBS)
    passive = f"{a} {_was(a)} {verb} by {b}"
    if rng.random() < 0.5:
        return [(passive, f"{a} {verb} {b}", NOT), (passive, f"{b} {verb} {a}", ENTAILS)]
    active = f"{b} {verb} {a}"
    return [(active, f"{b} {_was(b)} {verb} by {a}", NOT), (active, passive, ENTAILS)]


def _nested(rng: random.Random) -> list[Row]:
    """A relative clause about the object or the subject: who did what to whom."""
    a, b, c = _nouns(rng, 3)
    one, two = rng.sample(VERBS, 2)
    premise = f"{a} {one} {b} who {two} {c}"
    other = f"{a} who {c} {two} {one} {b}"
    return rng.choice(
        [
            [(premise, f"{a} {two} {c}", NOT), (premise, f"{b} {two} {c}", ENTAILS)],
            [(premise, f"{c} {two} {b}", NOT), (premise, f"{a} {one} {b}", ENTAILS)],
            [(other, f"{a} {two} {c}", NOT), (other, f"{c} {two} {a}", ENTAILS)],
            [(other, f"{c} {one} {b}", NOT), (other, f"{a} {one} {b}", ENTAILS)],
        ]
    )


def _subject_of_relative(rng: random.Random) -> list[Row]:
    """ "The waiter who greeted the sailors left": the sailors need not have left."""
    a, b = _nouns(rng, 2)
    verb, alone = rng.choice(VERBS), rng.choice(ALONE)
    premise = f"{a} {rng.choice(['who', 'that'])} {verb} {b} {alone}"
    return [(premise, f"{b} {alone}", NOT), (premise, f"{a} {alone}", ENTAILS)]


def _near(rng: random.Random) -> list[Row]:
    a, b = _nouns(rng, 2)
    where = rng.choice(["near", "behind", "next to", "in front of", "beside", "opposite"])
    if rng.random() < 0.5:
        alone = rng.choice(ALONE)
        premise = f"{a} {where} {b} {alone}"
        return [(premise, f"{b} {alone}", NOT), (premise, f"{a} {alone}", ENTAILS)]
    (c,) = _nouns(rng, 1)
    verb = rng.choice(VERBS)
    premise = f"{a} {where} {b} {verb} {c}"
    return [(premise, f"{b} {verb} {c}", NOT), (premise, f"{a} {verb} {c}", ENTAILS)]


def _and(rng: random.Random) -> list[Row]:
    a, b, c, d = _nouns(rng, 4)
    verb, alone = rng.choice(VERBS), rng.choice(ALONE)
    return rng.choice(
        [
            [(f"{a} and {b} {verb} {c}", f"{a} {verb} {b}", NOT), (f"{a} and {b} {verb} {c}", f"{b} {verb} {c}", ENTAILS)],
            [(f"{a} {verb} {b} and {c}", f"{b} {verb} {c}", NOT), (f"{a} {verb} {b} and {c}", f"{a} {verb} {c}", ENTAILS)],
            [(f"{a} {verb} {b} and {c} {alone}", f"{b} and {c} {alone}", NOT),
             (f"{a} {verb} {b} and {c} {alone}", f"{c} {alone}", ENTAILS)],
            [(f"{a} {verb} {b}, and {c} {verb} {d}", f"{a} {verb} {d}", NOT),
             (f"{a} {verb} {b}, and {c} {verb} {d}", f"{c} {verb} {d}", ENTAILS)],
        ]
    )  # fmt: skip


def _or(rng: random.Random) -> list[Row]:
    a, b, c = _nouns(rng, 3)
    verb = rng.choice(VERBS)
    premise = f"{a} or {b} {verb} {c}"
    other = f"{a} {verb} {c}, or {b} did"
    return [(rng.choice([premise, other]), f"{a} {verb} {c}", NOT), (f"{a} and also {b} {verb} {c}", f"{a} {verb} {c}", ENTAILS)]


def _clause(rng: random.Random) -> str:
    a, b = _nouns(rng, 2)
    return f"{a} {rng.choice(ALONE)}" if rng.random() < 0.5 else f"{a} {rng.choice(VERBS)} {b}"


def _embedded(rng: random.Random) -> list[Row]:
    one, two = _clause(rng), _clause(rng)
    (who,) = _nouns(rng, 1)
    no = rng.choice(
        [f"if {one}, {two}", f"unless {one}, {two}", f"{who} {rng.choice(SAID)} that {one}", f"{two} in case {one}",
         f"{who} asked whether {one}", f"perhaps {one}", f"supposedly {one}", f"it is not certain that {one}"]
    )  # fmt: skip
    yes = rng.choice(
        [f"because {one}, {two}", f"although {one}, {two}", f"{who} {rng.choice(KNEW)} that {one}", f"{two} after {one}",
         f"since {one}, {two}", f"clearly {one}", f"indeed {one}", f"it is certain that {one}"]
    )  # fmt: skip
    rows = [(no, one, NOT), (yes, one, ENTAILS)]
    if rng.random() < 0.2:
        rows.append((f"it is not true that {one}", one, CONTRADICTS))
    return rows


def _participle(rng: random.Random) -> list[Row]:
    """ "The singer paid by the pilot left": the singer paid nobody."""
    a, b = _nouns(rng, 2)
    verb, alone, place = rng.choice(VERBS), rng.choice(ALONE), rng.choice(PLACES)
    premise = f"{a} {verb} {rng.choice([f'by {b}', f'at {place}', f'near {place}'])} {alone}"
    return [(premise, f"{a} {verb} {b if 'by' in premise else place}", NOT), (premise, f"{a} {alone}", ENTAILS)]


def _garden(rng: random.Random) -> list[Row]:
    """Sentences in which a noun looks like the object of the verb before it."""
    a, b, c = _nouns(rng, 3)
    verb, alone = rng.choice(VERBS), rng.choice(ALONE)
    if rng.random() < 0.5:
        knew = rng.choice(["knew", "heard", "noticed", "understood", "forgot"])
        premise = f"{a} {knew} {b} {alone}"
        return [(premise, f"{a} {knew} {b}", NOT), (premise, f"{b} {alone}", ENTAILS)]
    did = rng.choice(["cooked", "drove", "painted", "sang", "wrote", "danced", "swam", "juggled"])
    premise = f"{rng.choice(['while', 'when', 'as', 'before'])} {a} {did} {b} {verb} {c}"
    return [(premise, f"{a} {did} {b}", NOT), (premise, f"{b} {verb} {c}", ENTAILS)]


# Frames around a natural sentence: whether it follows from the whole.
FRAMES: tuple[tuple[str, str], ...] = (
    ("If {s}, {t}.", NOT), ("{T}, if {s}.", NOT), ("Unless {s}, {t}.", NOT), ("{P} claims that {s}.", NOT),
    ("{P} hopes that {s}.", NOT), ("{S}, or {t}.", NOT), ("Supposedly {s}.", NOT), ("It may be that {s}.", NOT),
    ("Nobody knows whether {s}.", NOT), ("{P} was wrong to think that {s}.", CONTRADICTS),
    ("It is false that {s}.", CONTRADICTS), ("{P} pretended that {s}, which was a lie.", CONTRADICTS),
    ("{S}, and {t}.", ENTAILS), ("{T}, and {s}.", ENTAILS), ("{S}, but {t}.", ENTAILS), ("Because {s}, {t}.", ENTAILS),
    ("{T}, although {s}.", ENTAILS), ("{P} knows that {s}.", ENTAILS), ("It is true that {s}.", ENTAILS),
    ("Indeed, {s}.", ENTAILS), ("{P} did not believe that {s}, but it was true.", ENTAILS),
    ("Not only is it so that {s}; {t}.", ENTAILS),
)  # fmt: skip


def frame_rows(count: int, sentences: list[str], rng: random.Random) -> list[Row]:
    """Rows of `sentences` (short statements, ending in a full stop) put into frames."""
    rows = []
    for _ in range(count):
        one, two = (sentence.rstrip(". ") for sentence in rng.sample(sentences, 2))
        frame, label = rng.choice(FRAMES)
        person = f"the {rng.choice(PEOPLE)}"
        filled = frame.format(s=_small(one), t=_small(two), S=one, T=two, P=person.capitalize())
        rows.append((filled, f"{one}.", label))
    return rows


def _small(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


UNITS = (
    ("The {noun} costs {n} euros.", "The {noun} costs {bound} euros.", ["ticket", "permit", "membership", "repair", "course", "licence"]),
    ("The {noun} has {n} members.", "The {noun} has {bound} members.", ["choir", "council", "club", "union", "party", "board"]),
    ("The {noun} lasts {n} days.", "The {noun} lasts {bound} days.", ["trial period", "festival", "warranty", "strike", "journey"]),
    ("The {noun} is {n} metres long.", "The {noun} is {bound} metres long.", ["bridge", "tunnel", "pool", "wall", "boat"]),
    ("{n} people attended the {noun}.", "{bound} people attended the {noun}.", ["concert", "match", "wedding", "lecture", "trial"]),
    ("The {noun} must be returned within {n} days.", "There are {bound} days to return the {noun}.", ["form", "deposit", "device", "book"]),
)  # fmt: skip
EVENTS = (
    ("The {noun} was founded in {y}.", "The {noun} was founded {when}.", ["company", "abbey", "newspaper", "school", "orchestra"]),
    ("The {noun} was built in {y}.", "The {noun} was built {when}.", ["lighthouse", "theatre", "railway", "castle", "stadium"]),
    ("The {noun} ended in {y}.", "The {noun} ended {when}.", ["war", "reign", "contract", "exhibition", "drought"]),
    ("She published her first {noun} in {y}.", "Her first {noun} was published {when}.", ["novel", "poem", "study", "map"]),
)  # fmt: skip


def number_rows(count: int, rng: random.Random) -> list[Row]:
    """Comparisons of numbers and years whose label is computed."""
    rows: list[Row] = []
    while len(rows) < count:
        if rng.random() < 0.55:
            given, asked, nouns = rng.choice(UNITS)
            noun, n = rng.choice(nouns), rng.choice([rng.randint(2, 30), rng.randint(10, 400), rng.randint(100, 5_000)])
            m = rng.choice([n, max(1, n + rng.randint(-5, 5)), max(1, int(n * rng.uniform(0.4, 1.7)))])
            bound, holds = rng.choice(
                [(f"more than {m}", n > m), (f"fewer than {m}", n < m), (f"at least {m}", n >= m), (f"at most {m}", n <= m),
                 (f"{m}", n == m), (f"exactly {m}", n == m), (f"between {m} and {m + 10}", m <= n <= m + 10), (f"over {m}", n > m)]
            )  # fmt: skip
            number = f"{n:,}" if n > 999 and rng.random() < 0.5 else str(n)
            premise, hypothesis = given.format(noun=noun, n=number), asked.format(noun=noun, bound=bound)
        else:
            given, asked, nouns = rng.choice(EVENTS)
            noun, year = rng.choice(nouns), rng.randint(1200, 1900)
            other = year + rng.choice([0, -1, 1, rng.randint(-60, 60), rng.randint(-300, 300)])
            century, decade = (year - 1) // 100 + 1, year // 10 * 10
            when, holds = rng.choice(
                [(f"before {other}", year < other), (f"after {other}", year > other), (f"in {other}", year == other),
                 (f"in the {century}th century", True), (f"in the {century + rng.choice([-1, 1])}th century", False),
                 (f"in the {decade}s", True), (f"by {other}", year <= other)]
            )  # fmt: skip
            premise, hypothesis = given.format(noun=noun, y=year), asked.format(noun=noun, when=when)
        rows.append((premise, hypothesis[0].upper() + hypothesis[1:], ENTAILS if holds else CONTRADICTS))
    return rows


PARTIES = ["the tenant", "the supplier", "the client", "the employee", "the licensee", "each party", "the agency", "the visitor"]
ACTS = [
    "share the report with others", "keep a copy of the files", "use the room at night", "inform the other side in writing",
    "return all documents", "hire former staff", "cancel the order", "sell the goods abroad", "record the talks",
    "change the password", "publish the results", "enter the building alone", "make notes", "pay in advance",
]  # fmt: skip
# Premise, then what follows from it, what it rules out, and what it leaves open. {p} the party, {a} the act.
DUTIES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("{P} may {a}.", (("{P} is allowed to {a}.", ENTAILS), ("{P} must not {a}.", CONTRADICTS), ("{P} must {a}.", NEUTRAL))),
    ("{P} shall not {a}.", (("{P} is not permitted to {a}.", ENTAILS), ("{P} may {a}.", CONTRADICTS), ("{P} has to {a}.", CONTRADICTS))),
    ("{P} shall {a}.", (("{P} is obliged to {a}.", ENTAILS), ("{P} may refuse to {a}.", CONTRADICTS))),
    ("{P} is under no duty to {a}.", (("{P} need not {a}.", ENTAILS), ("{P} must {a}.", CONTRADICTS), ("{P} must not {a}.", NEUTRAL))),
    ("{P} may {a} only with prior written consent.", (
        ("{P} needs consent to {a}.", ENTAILS), ("{P} may {a} without asking.", CONTRADICTS), ("{P} did {a}.", NEUTRAL))),
    ("Nothing in this agreement stops {p} who wishes to {a}.", (("{P} is free to {a}.", ENTAILS), ("{P} shall not {a}.", CONTRADICTS))),
    ("Except where the law demands it, {p} shall not {a}.", (
        ("{P} may {a} where the law demands it.", ENTAILS), ("{P} may always {a}.", CONTRADICTS), ("{P} shall {a}.", CONTRADICTS))),
)  # fmt: skip


def duty_rows(count: int, rng: random.Random) -> list[Row]:
    """What is allowed, demanded or forbidden, as rules and contracts say it."""
    rows: list[Row] = []
    while len(rows) < count:
        premise, outcomes = rng.choice(DUTIES)
        hypothesis, label = rng.choice(outcomes)
        party, act, other, more = rng.choice(PARTIES), rng.choice(ACTS), rng.choice(PARTIES), rng.choice(ACTS)
        names = {"p": party, "P": party.capitalize(), "a": act}
        said = premise.format(**names)
        if rng.random() < 0.15 and more != act:
            hypothesis, label, names = hypothesis, NEUTRAL, {**names, "a": more}
        if rng.random() < 0.5 and other != party:
            beside = f"{other.capitalize()} shall bear its own costs."
            said = f"{beside} {said}" if rng.random() < 0.5 else f"{said} {beside}"
        rows.append((said, hypothesis.format(**names), label))
    return rows


def _tidy(rows: list[Row]) -> list[Row]:
    return [(_sentence(premise), _sentence(hypothesis), label) for premise, hypothesis, label in rows]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
