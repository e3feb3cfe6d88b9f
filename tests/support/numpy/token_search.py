# SPDX-License-Identifier: MIT
"""The searches of com.microsoft in numpy, plainly: GreedySearch, Sampling and BeamSearch over a
decoder of small_decoders.py, token by token as ONNX Runtime's CPU kernels go."""

import numpy as np

LOWEST = np.finfo(np.float32).min
# Of every search, where a case says nothing else.
DEFAULTS = dict(penalty=1, ngram=0, vocab_mask=None, prefix_vocab_mask=None, min_length=0, eos=1,
                pad=0, temperature=None, mask=None, seed=0, sampling=False, custom=0, top_p=0,
                filter_value=-1e20, min_tokens_to_keep=0, presence_mask=None, presence_penalty=0,
                length_penalty=1, early_stopping=0, timestamps=None)


def prompt(ids, pad, mask=None):
    """Places count words that are not padding, whatever a given mask says."""
    words = ids != pad
    positions = np.where(words, np.cumsum(words, 1) - 1, 0).astype(np.int32)
    return positions, words.astype(np.int32) if mask is None else mask, words.sum(1)


def processed(scores, sequences, step, a):
    """Scores [rows, vocabulary] after the processors, in the order in which they run."""
    scores, length = scores.copy(), sequences.shape[1]
    for row, sequence in zip(scores, sequences):
        words = np.unique(sequence)
        row[words] = np.where(row[words] < 0, row[words] * a["penalty"], row[words] / a["penalty"])
        n = a["ngram"]
        for at in range(length - n + 1 if n else 0):
            if n == 1 or (sequence[at:at + n - 1] == sequence[length - n + 1:]).all():
                row[sequence[at + n - 1]] = LOWEST
    if a["vocab_mask"] is not None:
        scores[:, a["vocab_mask"] == 0] = LOWEST
    if a["prefix_vocab_mask"] is not None and step == 0:
        rows = len(scores) // len(a["prefix_vocab_mask"])
        scores[np.repeat(a["prefix_vocab_mask"], rows, 0) == 0] = LOWEST
    if length < a["min_length"]:
        scores[:, a["eos"]] = LOWEST
    if a["temperature"] not in (None, 1):
        with np.errstate(over="ignore"):
            scores = scores / np.float32(a["temperature"])
    if a["presence_mask"] is not None:
        scores = scores - a["presence_mask"] * np.float32(a["presence_penalty"])
    if a["timestamps"] is not None:
        for row, sequence in zip(scores, sequences):
            keep_timestamps(row, sequence, a["eos"], **a["timestamps"])
    return scores


def keep_timestamps(row, sequence, eos, start, translate, transcribe, lm, none, begin):
    """Scores `row` of the tokens after `sequence`, by the rules of Whisper for timestamps, which are
    the tokens from `begin` on: they stand in pairs, but for the first, and do not fall."""
    def forbid(first, last=None):
        row[first:first + 1 if last is None else last] = LOWEST
    timestamps = np.flatnonzero(sequence >= begin)
    prompt = timestamps[0] + 1 if len(timestamps) else len(sequence)
    after = len(sequence) > prompt
    for token in [none, lm] + ([start, translate, transcribe] if after else []):
        if token >= 0:
            forbid(token)
    ends_in_one = sequence[-1] >= begin
    ends_in_two = ends_in_one and (not after or sequence[-2] >= begin)
    if ends_in_two:
        forbid(begin, len(row))
    elif ends_in_one:
        forbid(0, eos)
    if len(timestamps):
        last = sequence[timestamps[-1]]
        forbid(begin, last if ends_in_one and not ends_in_two else last + 1)
    if not after:
        forbid(begin + 51, len(row))
    late = row[begin:]
    late = late[late > LOWEST]
    top = late.max() if len(late) else LOWEST
    with np.errstate(divide="ignore"):
        together = np.log(np.exp(late - top).sum(dtype=np.float32)) + top if len(late) else LOWEST
    if together > row[:begin].max():
        forbid(0, begin)


class Engine:
    """std::minstd_rand0, and std::uniform_real_distribution<double> over it."""

    def __init__(self, seed):
        self.x = seed % 2147483647 or 1

    def draw(self):
        value, unit, total = 2147483646.0, 1.0, 0.0
        for _ in range(2):
            self.x = self.x * 16807 % 2147483647
            total += (self.x - 1) * unit
            unit *= value
        return min(total / unit, np.nextafter(1.0, 0.0))


def drawn(scores, engine):
    """A token for each row, by the probabilities that finite scores stand for."""
    tokens = []
    for row in scores.astype(np.float64):
        finite = np.isfinite(row)
        weights = np.where(finite, np.exp(np.where(finite, row, 0) - row[finite].max()), 0)
        steps = np.cumsum(weights)
        tokens.append(np.searchsorted(steps, engine.draw() * steps[-1], side="right"))
    return np.array(tokens)


def nucleus(scores, a):
    """Scores with filter_value where a token is not among the likeliest."""
    scores = scores.copy()
    for row in scores:
        if a["custom"]:
            order = np.argsort(-row, kind="stable")
        else:
            order = np.argsort(row, kind="stable")
        e = np.exp(row[order] - row.max())
        sums = np.cumsum(e / e.sum(), dtype=np.float32)
        if a["custom"]:
            row[order[1:][sums[:-1] > a["top_p"]]] = a["filter_value"]
        else:
            last = max(1, len(row) - a["min_tokens_to_keep"])
            row[order[:last][sums[:last] <= 1 - np.float32(a["top_p"])]] = a["filter_value"]
    return scores


def greedy(decoder, ids, max_length, a, first=None):
    """Also Sampling, when a["sampling"] is set. The sequences, and how much of them was found."""
    positions, mask, lengths = prompt(ids, a["pad"], a["mask"])
    sequences, fed, past = ids, ids, decoder.state(len(ids))
    ended, engine = np.zeros(len(ids), bool), Engine(a["seed"])
    for step in range(max_length - ids.shape[1]):
        logits, past = (first if first and step == 0 else decoder)(fed, positions, mask, past)
        scores = processed(logits[:, -1], sequences, step, a)
        if a["sampling"]:
            tokens = drawn(nucleus(scores, a), engine)
        else:
            tokens = scores.argmax(1)
        ended |= tokens == a["eos"]
        fed = np.where(ended, a["pad"], tokens).astype(np.int32)[:, None]
        sequences = np.concatenate([sequences, fed], 1)
        if ended.all():
            break
        positions = (lengths + step)[:, None].astype(np.int32)
        mask = np.concatenate([mask, np.ones_like(fed)], 1)
    rest = max_length - sequences.shape[1]
    filled = np.pad(sequences, ((0, 0), (0, rest)), constant_values=a["pad"])
    return filled, sequences.shape[1]


class Hypotheses:
    """The best ended sequences of one batch entry, the best first; of equal ones the older."""

    def __init__(self, beams, penalty):
        self.beams, self.penalty, self.items, self.done = beams, penalty, [], False

    def score(self, total, length):
        return np.float32(total) / np.float32(np.float32(length) ** np.float32(self.penalty))

    def offer(self, sequence, total):
        score = self.score(total, len(sequence))
        if len(self.items) == self.beams:
            if score <= self.items[-1][0]:
                return
            self.items.pop()
        at = len(self.items)
        while at > 0 and score > self.items[at - 1][0]:
            at -= 1
        self.items.insert(at, (score, sequence))


def log_softmax(x):
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def next_beams(found, scores, tokens, beams, sequences, a):
    """Of one batch entry: (score, token, beam) of the beams to follow. The best 2 * beams of
    (scores, tokens, beam) come in order; those that end become hypotheses."""
    kept = []
    for rank, (score, token) in enumerate(zip(scores, tokens)):
        beam, token = divmod(token, a["vocabulary"])
        if token != a["eos"]:
            kept.append((score, token, beam))
        elif rank < beams:
            found.offer(sequences[beam], score)
        if len(kept) == beams:
            break
    return kept


def beam(decoder, ids, max_length, beams, returned, a, first=None):
    """Sequences, their scores, and the scores of all tokens at all steps that ran."""
    batch, start = ids.shape
    positions, mask, lengths = prompt(ids, a["pad"], a["mask"])
    fed, positions, mask, lengths = [np.repeat(x, beams, 0) for x in (ids, positions, mask, lengths)]
    sequences, past = fed, decoder.state(batch * beams)
    totals = np.where(np.arange(batch * beams) % beams == 0, 0, -1e9).astype(np.float32)
    found = [Hypotheses(beams, a["length_penalty"]) for _ in range(batch)]
    history = []
    for step in range(max_length - start):
        logits, past = (first if first and step == 0 else decoder)(fed, positions, mask, past)
        scores = processed(log_softmax(logits[:, -1]), sequences, step, a) + totals[:, None]
        scores = scores.astype(np.float32)
        history.append(scores.reshape(batch, beams, -1))
        flat = scores.reshape(batch, -1)
        order = np.argsort(-flat, axis=1, kind="stable")[:, :2 * beams]
        best = np.take_along_axis(flat, order, 1)
        chosen = []
        for entry in range(batch):
            if found[entry].done:
                chosen += [(0, a["pad"], -entry * beams)] * beams  # the first row of all
                continue
            own = sequences[entry * beams:(entry + 1) * beams]
            chosen += next_beams(found[entry], best[entry], order[entry], beams, own, a)
            if len(found[entry].items) == beams:
                # As ONNX Runtime has it: of a place in the list that lies before the entry's own.
                top = best.ravel()[entry * beams:entry * beams + 2 * beams].max()
                improves = found[entry].items[-1][0] < found[entry].score(top, sequences.shape[1])
                found[entry].done = a["early_stopping"] or not improves
        totals = np.array([c[0] for c in chosen], np.float32)
        rows = np.array([c[2] + i // beams * beams for i, c in enumerate(chosen)])
        fed = np.array([c[1] for c in chosen], np.int32)[:, None]
        sequences = np.concatenate([sequences[rows], fed], 1)
        if all(f.done for f in found):
            break
        positions = (lengths + step)[:, None].astype(np.int32)
        mask = np.concatenate([mask, np.ones_like(fed)], 1)
        past = decoder.reordered(past, rows) if beams > 1 else past
    result = np.full((batch, returned, max_length), a["pad"], np.int32)
    totals_of = np.zeros((batch, returned), np.float32)
    for entry in range(batch):
        if not found[entry].done:
            for i in range(entry * beams, (entry + 1) * beams):
                found[entry].offer(sequences[i], totals[i])
        for i, (score, sequence) in enumerate(found[entry].items[:returned]):
            result[entry, i, :len(sequence)], totals_of[entry, i] = sequence, score
    return result, totals_of, np.stack(history)
