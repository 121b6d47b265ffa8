"""Reading the data files: TSV with a header and no quoting, JSON and JSON lines, gzipped or not."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path


def text_of(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")


def rows_of(path: Path) -> list[dict[str, str]]:
    """Rows of a TSV file by column name. Raises ValueError where a row has another number of fields."""
    lines = text_of(path).split("\n")
    header = lines[0].split("\t")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if line == "":
            continue
        fields = line.split("\t")
        if len(fields) != len(header):
            raise ValueError(f"{path}:{number}: {len(fields)} fields where the header has {len(header)}")
        rows.append(dict(zip(header, map(unquoted, fields))))
    return rows


def unquoted(text: str) -> str:
    """Undoes the CSV quoting that one carrier left in some fields of the SNLI sample."""
    if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') % 2 == 0 and '"' not in text[1:-1].replace('""', ""):
        return text[1:-1].replace('""', '"')
    return text


def strings_of(path: Path) -> Iterator[str]:
    """Every string of a data file, whatever its form: the fields of a TSV, the string values of JSON."""
    if ".tsv" in path.suffixes:
        for row in rows_of(path):
            yield from row.values()
        return
    text = text_of(path)
    try:
        values = [json.loads(text)]
    except json.JSONDecodeError:
        values = [json.loads(line) for line in text.split("\n") if line.strip()]
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            values.extend(value)
        elif isinstance(value, dict):
            values.extend(value.values())
