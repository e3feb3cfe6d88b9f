# SPDX-License-Identifier: MIT
"""What the convolutional models share: Conv, BatchNormalization and the classifier head."""

import math


def conv_norm(b, name, x, inputs, outputs, kernel, stride=1, groups=1, gain=math.sqrt(2),
              scale=1.0):
    """Conv without bias, then BatchNormalization.

    Weights keep the size of the signal (gain over the square root of the fan-in), so running
    variances lie around 1; `scale` is the mean of the normalisation's scale.
    """
    with b.scope(name):
        fan_in = inputs // groups * kernel * kernel
        with b.scope("conv"):
            weight = b.normal("weight", (outputs, inputs // groups, kernel, kernel),
                              gain / math.sqrt(fan_in))
            pad = kernel // 2
            x = b.node("Conv", x, weight, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                       pads=[pad] * 4, dilations=[1, 1], group=groups)
        with b.scope("bn"):
            parts = [b.uniform("weight", (outputs,), 0.8 * scale, 1.2 * scale),
                     b.normal("bias", (outputs,), 0.1),
                     b.normal("running_mean", (outputs,), 0.1),
                     b.uniform("running_var", (outputs,), 0.6, 1.6)]
            return b.node("BatchNormalization", x, *parts, epsilon=1e-5, momentum=0.9)


def classifier(b, x, features, classes, result="logits"):
    x = b.node("GlobalAveragePool", x)
    x = b.node("Flatten", x, axis=1)
    with b.scope("fc"):
        b.gemm(x, features, classes, gain=2.0)
    b.nodes[-1].output[0] = result
