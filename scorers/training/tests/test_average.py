import pytest
import torch

from pragtrain.average import average


def test_the_mean_of_two_models_and_nothing_of_other_shapes(tmp_path):
    for name, value, shape in (("a", 1.0, 1), ("b", 4.0, 1), ("c", 1.0, 2)):
        torch.save({"model": {"w": torch.full((2, 2), value)}, "shape": {"layers": shape}}, tmp_path / f"{name}.pt")
    out = tmp_path / "mean/model.pt"
    average([tmp_path / "a.pt", tmp_path / "b.pt"], out)
    made = torch.load(out, weights_only=True)
    assert torch.equal(made["model"]["w"], torch.full((2, 2), 2.5)) and made["shape"] == {"layers": 1}
    with pytest.raises(ValueError, match="c.pt has another shape"):
        average([tmp_path / "a.pt", tmp_path / "c.pt"], out)
    with pytest.raises(ValueError, match="two models"):
        average([tmp_path / "a.pt"], out)
