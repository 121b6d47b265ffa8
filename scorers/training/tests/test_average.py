import pytest
import torch

from pragtrain.average import average
from pragtrain.export import export, load
from pragtrain.model import CrossEncoder, Shape


def test_the_mean_of_two_models_and_nothing_of_other_shapes(tmp_path):
    for name, value, layers in (("a", 1.0, 2), ("b", 4.0, 2), ("c", 1.0, 3)):
        model = CrossEncoder(Shape(layers, 8, 2, 16, 200, 64, 1))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.fill_(value)
        torch.save({"model": model.state_dict(), "shape": model.shape.record()}, tmp_path / f"{name}.pt")
    out = tmp_path / "mean/model.pt"
    average([tmp_path / "a.pt", tmp_path / "b.pt"], out)
    made = load(out)
    assert all(torch.equal(weight, torch.full_like(weight, 2.5)) for weight in made.state_dict().values())
    export(load(tmp_path / "a.pt"), tmp_path / "export")
    average([tmp_path / "export/whole.int8.onnx", tmp_path / "b.pt"], out)
    assert torch.allclose(load(out).span.weight, made.span.weight)
    with pytest.raises(ValueError, match="c.pt has another shape"):
        average([tmp_path / "a.pt", tmp_path / "c.pt"], out)
    with pytest.raises(ValueError, match="two models"):
        average([tmp_path / "a.pt"], out)
