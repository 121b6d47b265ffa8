"""Kinds of training rows by name, to be left out of a run: what are they worth?"""

import numpy as np

from .store import Store

# How the origins of a kind begin or end.
GROUPS = {
    "contracts": ("ContractNLI",),
    "own answers": ("claim: a reader's answer",),
    "claims": ("claim: right answer", "claim: wrong answer", "claim: elsewhere", "claim: spoilt question"),
    "unanswerable": ("unanswerable: ",),
    "mined negatives": (": mined negative",),
    "shortcuts": ("made: ",),
    "SNLI": ("SNLI",),
    "FEVER": ("FEVER", "VitaminC"),
    "manuals": ("manuals: ",),
    "written pairs": ("written pairs",),
    "wordings": ("wordings: ",),
}


def kept_rows(store: Store, without: str) -> np.ndarray:
    """Places of the rows that are left when these groups, separated by commas, are left out. Raises SystemExit for a name
    that is none, and for a group of which the rows hold nothing."""
    left = np.zeros(len(store), bool)
    for name in filter(None, without.split(",")):
        if name not in GROUPS:
            raise SystemExit(f'no group of rows is named "{name}"; there are {", ".join(GROUPS)}')
        members = [i for i, origin in enumerate(store.origins) if _belongs(origin, GROUPS[name])]
        if not members:
            raise SystemExit(f'the rows hold nothing of "{name}"')
        left |= np.isin(store.origin, members)
    return np.flatnonzero(~left)


def _belongs(origin: str, names: tuple[str, ...]) -> bool:
    return any(origin.endswith(name) if name.startswith(": ") else origin.startswith(name) for name in names)
