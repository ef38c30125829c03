"""Trained weights to ONNX: `python -m training.export face|finder WEIGHTS FILE`.

The graph is written node by node, with each batch normalisation folded into the convolution before it, so that it
holds nothing but Conv, Relu, Add, Gemm and the like, which every OpenCV runs.
"""

from __future__ import annotations

import argparse
import copy
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from training.nets import FACE_PX, FaceReader, Finder, _Refined

_OPSET = 13


class _Graph:
    """Nodes and constants as they grow."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: torch.Tensor) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value.detach().numpy().astype(np.float32), name))
        return name

    def node(self, kind: str, *inputs: str, **how: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **how))
        return name

    def conv(self, layer: nn.Conv2d, given: str) -> str:
        bias = layer.bias if layer.bias is not None else torch.zeros(layer.out_channels)
        pads = [int(p) for p in layer.padding] * 2
        return self.node(
            "Conv",
            given,
            self.constant(layer.weight),
            self.constant(bias),
            kernel_shape=list(layer.kernel_size),
            strides=list(layer.stride),
            pads=pads,
        )

    def layer(self, layer: nn.Sequential, given: str) -> str:
        conv, norm, _ = layer
        return self.node("Relu", self.conv(fuse_conv_bn_eval(conv, norm), given))

    def body(self, body: nn.Sequential, given: str) -> str:
        at = self.node("Add", given, self.constant(torch.full((1, 3, 1, 1), -0.45)))
        for part in body:
            if isinstance(part, _Refined):
                at = self.node("Add", at, self.layer(part.layer, at))
            elif isinstance(part, nn.Flatten):
                at = self.node("Flatten", at, axis=1)
            else:
                at = self.layer(part, at)
        return at


def exported(net: Finder | FaceReader) -> onnx.ModelProto:
    """The network as an ONNX model."""
    net = copy.deepcopy(net).eval()
    graph = _Graph()
    at = graph.body(net.body, "picture")
    if isinstance(net, Finder):
        given, wanted = ["n", 3, "rows", "cols"], ["n", 15, "cell_rows", "cell_cols"]
        graph.conv(net.head, at)
    else:
        given, wanted = ["n", 3, FACE_PX, FACE_PX], ["n", 7]
        graph.node("Gemm", at, graph.constant(net.head.weight), graph.constant(net.head.bias), transB=1)
    graph.nodes[-1].output[0] = "said"
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "dice",
            [helper.make_tensor_value_info("picture", TensorProto.FLOAT, given)],
            [helper.make_tensor_value_info("said", TensorProto.FLOAT, wanted)],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=8,
    )
    onnx.checker.check_model(model)
    return model


def main() -> None:
    """Write one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["face", "finder"])
    parser.add_argument("weights", type=Path)
    parser.add_argument("file", type=Path)
    asked = parser.parse_args()
    net = FaceReader() if asked.kind == "face" else Finder()
    net.load_state_dict(torch.load(asked.weights))
    onnx.save(exported(net), asked.file)


if __name__ == "__main__":
    main()
