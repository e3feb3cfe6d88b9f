# SPDX-License-Identifier: MIT
"""AttnLSTM of com.microsoft in numpy: one step, one sequence and one place of the memory after the
other, as the operator's page has it. Adds itself to the operators of microsoft_registry."""

import numpy as np

from microsoft_registry import operator, sigmoid

FUNCTIONS = {"Sigmoid": lambda x, alpha, beta: sigmoid(x), "Tanh": lambda x, alpha, beta: np.tanh(x),
             "Relu": lambda x, alpha, beta: np.maximum(x, 0),
             "HardSigmoid": lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1),
             "LeakyRelu": lambda x, alpha, beta: np.where(x < 0, alpha * x, x)}
USES = {"HardSigmoid": (0.2, 0.5), "LeakyRelu": (0.01, None)}  # by default


def functions(a, directions):
    names = a.get("activations", ["Sigmoid", "Tanh", "Tanh"] * directions)
    alphas, betas = list(a.get("activation_alpha", [])), list(a.get("activation_beta", []))
    found = []
    for name in names:
        alpha, beta = USES.get(name, (None, None))
        alpha = alphas.pop(0) if alpha is not None and alphas else alpha
        beta = betas.pop(0) if beta is not None and betas else beta
        found.append(lambda x, f=FUNCTIONS[name], alpha=alpha, beta=beta: f(x, alpha, beta))
    return [found[3 * d:3 * d + 3] for d in range(directions)]


def cell(a, gates, c, bias, p, f, g, h):
    """One step of one sequence: `gates` are the products, of input, output, forget and cell."""
    def within(x):
        return np.clip(x, -a["clip"], a["clip"]) if "clip" in a else x
    i, o, forget, new = np.split(gates + sum(np.split(bias, 2)), 4)
    pi, po, pf = np.split(p, 3)
    i = f(within(i + pi * c))
    forget = 1 - i if a.get("input_forget") else f(within(forget + pf * c))
    c = forget * c + i * g(within(new))
    return f(within(o + po * c)) * h(c), c


def seen(h, memory, count, qw, mw, v):
    scores = np.array([v @ np.tanh(memory[t] @ mw + h @ qw) for t in range(count)])
    weights = np.exp(scores - scores.max())
    return weights / weights.sum() @ memory[:count]


@operator
def AttnLSTM(a, x, w, r, b, lens, h0, c0, p, qw, mw, v, memory, memory_lens=None, aw=None):
    steps, batch, size = x.shape
    directions, hidden = len(w), r.shape[2]
    lens = [steps] * batch if lens is None else lens
    memory_lens = [memory.shape[1]] * batch if memory_lens is None else memory_lens
    b = np.zeros((directions, 8 * hidden)) if b is None else b
    p = np.zeros((directions, 3 * hidden)) if p is None else p
    first = np.zeros((2, directions, batch, hidden))
    for i, given in enumerate((h0, c0)):
        if given is not None:
            first[i] = given
    y = np.zeros((steps, directions, batch, hidden))
    last = np.zeros((2, directions, batch, hidden))
    for d in range(directions):
        turns = d == 1 or a.get("direction") == "reverse"
        f, g, h_of = functions(a, directions)[d]
        for n in range(batch):
            h, c = first[:, d, n]
            attention = np.zeros(w.shape[2] - size)
            order = range(lens[n])
            for t in reversed(order) if turns else order:
                gates = w[d] @ np.concatenate([x[t, n], attention]) + r[d] @ h
                h, c = cell(a, gates, c, b[d], p[d], f, g, h_of)
                attention = seen(h, memory[n], memory_lens[n], qw[d], mw[d], v[d])
                if aw is not None:
                    attention = np.concatenate([h, attention]) @ aw[d]
                y[t, d, n] = h
            last[:, d, n] = h, c
    return [z.astype(x.dtype) for z in (y, last[0], last[1])]
