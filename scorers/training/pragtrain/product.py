"""The product's own way to word claims and to cut premises, so that training sees what run time gives."""

import json
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "claims.mjs"


def claims(pairs: list[tuple[str, str]], dist: Path) -> list[str]:
    """The claim for each (question, answer)."""
    return [row["claim"] for row in _ask([{"question": q, "answer": a} for q, a in pairs], dist)]


def around(places: list[tuple[str, int, int]], dist: Path) -> list[str]:
    """The sentences around characters `start` to `end` of each text."""
    rows = [{"text": t, "start": utf16(t, s), "end": utf16(t, e)} for t, s, e in places]
    return [row["around"] for row in _ask(rows, dist)]


def utf16(text: str, at: int) -> int:
    return at + sum(1 for char in text[:at] if ord(char) > 0xFFFF)


def _ask(rows: list[dict], dist: Path) -> list[dict]:
    given = "".join(f"{json.dumps(row)}\n" for row in rows)
    done = subprocess.run(["node", str(SCRIPT), str(dist)], input=given.encode(), stdout=subprocess.PIPE, check=True)
    found = [json.loads(line) for line in done.stdout.decode().splitlines()]
    if len(found) != len(rows):
        raise RuntimeError(f"{SCRIPT.name} answered {len(found)} of {len(rows)} rows")
    return found
