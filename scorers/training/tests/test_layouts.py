import json
from pathlib import Path

from pragtrain import layouts


def test_the_layouts_that_the_product_is_tested_on_are_ours():
    kept = Path(__file__).parents[2] / "runtime/testing/layouts.json"
    assert json.loads(kept.read_text()) == layouts.examples()


def test_a_title_stands_between_question_and_passage_and_an_empty_one_leaves_no_trace():
    plain, titled, empty = (example["ids"] for example in layouts.examples()["readings"][:3])
    assert plain == empty
    assert len(titled) == len(plain) + len("bridges of zurich".split()) + 1
