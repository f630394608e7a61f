#!/usr/bin/env python3
"""Errors of several quantiles: recursive halving against slices.

    bench/simulations/slice_quantiles.py [SEED]

Both in doubles, epsilon 1 in all, one row more or less. The recursion is that of
src/mechanisms/quantiles.h. Slices (SliceQuantiles, arXiv:2505.13662): the ranks of all
fractions get correlated noise, of a tree of sums as for continual counting; around each
rank a slice of 2 h + 1 values is cut out, of which a median is drawn by the exponential
mechanism. A row more moves later ranks by one, which the tree hides, and so is exchanged
in one slice. Slices must not meet: where more than a twentieth of the answers have some
that do, these parameters are left out, otherwise such an answer counts as it is.

The answers lie in 0 .. 1, of which the values fill all, or a millionth around the middle.
Printed are the mean error of an answer's quantiles in ranks, and the greatest one, both
averaged; of the slices those of the parameters tried of which the least error is expected.
"""

import random
import sys
from bisect import bisect
from itertools import accumulate
from math import exp, floor, log

ROWS = 20000
EPSILON = 1.0
TRIALS = 200
TRIES = 40
DATA_SETS = 20


def make_values(source, width):
    return sorted(0.5 + width * (source.random() - 0.5) for _ in range(ROWS))


def weights_of(ends, target, rate):
    """Of the gaps between values, by exp(-rate distance of their rank to target)."""
    return [(ends[i + 1] - ends[i]) * exp(-rate * abs(i - target)) for i in range(len(ends) - 1)]


def draw_rank(source, values, low, high, target, rate):
    """A point between low and high by these weights."""
    ends = [low, *values, high]
    sums = list(accumulate(weights_of(ends, target, rate)))
    i = min(bisect(sums, source.random() * sums[-1]), len(sums) - 1)
    return ends[i] + (ends[i + 1] - ends[i]) * source.random()


def by_recursion(source, values, fractions):
    epsilon = EPSILON / (floor(log(len(fractions), 2)) + 1)
    answers = [0.0] * len(fractions)

    def answer(first, last, low, high, part, below, above):
        """The fractions first .. last - 1, from a part of the values."""
        if first >= last:
            return
        middle = (first + last) // 2
        fraction = (fractions[middle] - below) / (above - below)
        # a row changes the distance by at most max(fraction, 1 - fraction)
        rate = epsilon / 2 / max(fraction, 1 - fraction)
        answers[middle] = point = draw_rank(source, part, low, high, fraction * len(part), rate)
        cut = bisect(part, point)
        answer(first, middle, low, point, part[:cut], below, fractions[middle])
        answer(middle + 1, last, point, high, part[cut:], fractions[middle], above)

    answer(0, len(fractions), 0.0, 1.0, values, 0.0, 1.0)
    return answers


def two_sided(source, epsilon):
    """Two-sided geometric noise."""
    scale = -1 / epsilon
    return floor(scale * log(1 - source.random())) - floor(scale * log(1 - source.random()))


def prefix_noise(source, count, base, epsilon):
    """Noise of all prefixes of a tree of sums, of which a row changes one node a level."""
    levels = 1
    while base**levels <= count:
        levels += 1
    nodes = {}
    noise = []
    for i in range(1, count + 1):
        total = 0
        for level in range(levels):
            last = i // base**level
            for node in range(last // base * base, last):
                if (level, node) not in nodes:
                    nodes[level, node] = two_sided(source, epsilon / levels)
                total += nodes[level, node]
        noise.append(total)
    return noise


def noisy_ranks(source, fractions, share, base, half):
    """The ranks around which slices are cut, and whether no slices meet."""
    noise = prefix_noise(source, len(fractions), base, share * EPSILON)
    ranks = [round(f * ROWS) + n for f, n in zip(fractions, noise)]
    return ranks, all(b - a > 2 * half for a, b in zip([-half - 1, *ranks], [*ranks, ROWS + half]))


def slice_of(values, rank, half):
    first = max(rank - half, 0)
    return first, values[first : max(rank + half + 1, 0)]


def errors(values, fractions, answers):
    ranks = [abs(bisect(values, a) - f * ROWS) for a, f in zip(answers, fractions)]
    return sum(ranks) / len(ranks), max(ranks)


def average(pairs):
    return [sum(column) / len(pairs) for column in zip(*pairs)]


def draw_slices(source, data, fractions, share, base, half):
    """Mean and greatest error of many draws."""
    pairs = []
    for trial in range(TRIALS):
        values = data[trial % DATA_SETS]
        answers = []
        for rank in noisy_ranks(source, fractions, share, base, half)[0]:
            part = slice_of(values, rank, half)[1]
            answers.append(draw_rank(source, part, 0.0, 1.0, len(part) / 2, (1 - share) * EPSILON / 2))
        pairs.append(errors(values, fractions, answers))
    return average(pairs)


def expected_error(source, data, fractions, share, base, half):
    """The mean error, for draws of the ranks; None where too many have slices that meet.

    What is drawn outside of a slice is rare, and far off: it counts as the end.
    """
    total = 0
    misfits = 0
    for trial in range(TRIES):
        values = data[trial % DATA_SETS]
        ranks, fits = noisy_ranks(source, fractions, share, base, half)
        misfits += not fits
        if misfits > TRIES / 20:
            return None
        for rank, fraction in zip(ranks, fractions):
            first, part = slice_of(values, rank, half)
            weights = weights_of([0.0, *part, 1.0], len(part) / 2, (1 - share) * EPSILON / 2)
            places = [0, *range(first + 1, first + len(part)), ROWS]
            total += sum(w * abs(p - fraction * ROWS) for w, p in zip(weights, places)) / sum(weights)
    return total / TRIES / len(fractions)


def best_slices(source, data, fractions):
    gap = ROWS / (len(fractions) + 1)
    bases = sorted({min(b, len(fractions) + 1) for b in (2, 4, 11)})
    tried = {}
    for share in 0.2, 0.3, 0.4, 0.5, 0.6:
        for base in bases:
            for half in 49, 60, 70, 80, 100, 150:
                error = 2 * half < gap and expected_error(source, data, fractions, share, base, half)
                if error:
                    tried[error] = share, base, half
    return tried[min(tried)] if tried else None


def main():
    source = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    print(f"{'fractions':>9} {'values':>8} {'recursion: mean, greatest':>27} {'slices':>14} share base half")
    for width in 1.0, 1e-6:
        data = [make_values(source, width) for _ in range(DATA_SETS)]
        for count in 3, 10, 100:
            fractions = [(i + 1) / (count + 1) for i in range(count)]
            pairs = []
            for trial in range(TRIALS):
                values = data[trial % DATA_SETS]
                pairs.append(errors(values, fractions, by_recursion(source, values, fractions)))
            mean, greatest = average(pairs)
            parameters = best_slices(source, data, fractions)
            slices = parameters and draw_slices(source, data, fractions, *parameters)
            told = f"{slices[0]:6.1f}, {slices[1]:6.1f} {parameters[0]:5} {parameters[1]:4} {parameters[2]:4}" if slices else "  none fits"
            print(f"{count:9} {width:8} {mean:19.1f}, {greatest:6.1f} {told}", flush=True)


main()
