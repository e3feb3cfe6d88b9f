#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An operator of the program in a model made in memory."""

import numpy
import ortc


# docs: begin
@ortc.onnx_op("Leaky", inputs=["float"], outputs=["float"], domain="samples")
class Leaky:
    """y = x where that is positive, else slope * x. One for each node, with what its attributes
    say."""

    def __init__(self, info):
        self.slope = numpy.float32(info.attribute("slope", "float", 0.01))

    def __call__(self, x):
        return numpy.where(x > 0, x, self.slope * x)

    @staticmethod
    def infer_output_shape(context):
        context.set_output_shape(0, context.input_shape(0))


def knowing_leaky():
    options = ortc.SessionOptions()
    options.register_custom_ops(Leaky)
    return options
# docs: end


def model():
    floats = ortc.TypeInfo.tensor("float", [4])
    made = ortc.Model({"": 17, "samples": 1})
    made.set_inputs([("x", floats)])
    made.set_outputs([("y", floats)])
    made.add_node("Leaky", ["x"], ["y"], {"slope": 0.5}, domain="samples")
    return made


def main():
    session = ortc.session_from_model(model(), knowing_leaky())
    print(session.run({"x": numpy.array([-2, -1, 1, 2], numpy.float32)})["y"].tolist())


if __name__ == "__main__":
    main()
