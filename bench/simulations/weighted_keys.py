#!/usr/bin/env python3
"""Groups shown by private keys: counts of people against sums of weights.

    bench/simulations/weighted_keys.py [SEED]

A person who is in k groups adds 1 to each, or 1/sqrt(k). The noise is normal, and noise
and threshold share epsilon 1 and delta 1e-6. A person has at most m groups of 20,000,
chosen by Zipf's law without repetition; there are 20,000 people. Printed are the
thresholds, and the expected number of groups shown: the probabilities of all groups
added up, given the groups that were drawn with the seed. doc/mechanisms.md has the
rule that both thresholds follow, and what the table means.
"""

import random
import sys
from bisect import bisect
from itertools import accumulate
from math import erfc, exp, log, log1p, sqrt

EPSILON = 1.0
DELTA = 1e-6
PEOPLE = 20000
GROUPS = 20000


def tail(x):
    """P(Z >= x) of a standard normal Z."""
    return erfc(x / sqrt(2)) / 2


def normal_delta(mu, epsilon):
    """The delta of normal noise for a change of mu standard deviations."""
    if mu == 0:
        return max(0.0, 1 - exp(epsilon))
    far = tail(epsilon / mu + mu / 2)
    return max(0.0, tail(epsilon / mu - mu / 2) - (exp(epsilon + log(far)) if far > 0 else 0.0))


def least(holds, low, high):
    """The least number from which a rule holds, between two numbers."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def rule(lone, k, change, sigma):
    """Whether a person with k groups, in each by so much, costs at most delta.

    lone: P(a group of this person alone is shown). Some of the groups are of the person
    alone, in the data that has the person; the others have another count.
    """
    for j in range(k + 1):
        hidden = j * log1p(-lone)
        mu = sqrt(k - j) * change / sigma
        gone = 1 - exp(hidden) * (1 - normal_delta(mu, EPSILON - hidden))
        came = normal_delta(mu, EPSILON + hidden)
        if max(gone, came) > DELTA:
            return False
    return True


def sigma_for(change):
    """The noise for a change in L2, with all but a thousandth of delta."""
    return least(lambda sigma: normal_delta(change / sigma, EPSILON) <= 0.999 * DELTA, 0.1 * change, 100 * change)


def by_counts(m):
    sigma = sigma_for(sqrt(m))
    return sigma, least(lambda t: all(rule(tail((t - 1) / sigma), k, 1, sigma) for k in range(1, m + 1)), 1, 1e4)


def by_weights(m):
    sigma = sigma_for(1)

    def serves(t):
        return all(rule(tail((t - k ** -0.5) / sigma), k, k ** -0.5, sigma) for k in range(1, m + 1))

    return sigma, least(serves, 1, 1e4)


def draw_groups(source, weights, k):
    """k different groups."""
    groups = set()
    while len(groups) < k:
        groups.add(bisect(weights, source.random() * weights[-1]))
    return groups


def shown(m, number_of, source):
    """Expected numbers of groups shown by counts and by weights."""
    zipf = list(accumulate(1 / r for r in range(1, GROUPS + 1)))
    counts = [0] * (GROUPS + 1)
    sums = [0.0] * (GROUPS + 1)
    for _ in range(PEOPLE):
        k = number_of(source)
        for group in draw_groups(source, zipf, k):
            counts[group] += 1
            sums[group] += k ** -0.5
    results = []
    for values, (sigma, threshold) in (counts, by_counts(m)), (sums, by_weights(m)):
        results.append(sum(tail((threshold - v) / sigma) for v, c in zip(values, counts) if c))
    return results


def main():
    source = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for m in 5, 20:
        for name, (sigma, threshold) in ("counts", by_counts(m)), ("weights", by_weights(m)):
            print(f"m = {m}, {name}: sigma {sigma:.2f}, threshold {threshold:.2f}")
    print(f"{'groups of a person':26} {'m = 5: counts, weights':>24} {'m = 20: counts, weights':>24}")
    for name, number_of in (
        ("m", lambda m: lambda source: m),
        ("half of m", lambda m: lambda source: m // 2),
        ("min(m, 1/U), U uniform", lambda m: lambda source: min(m, int(1 / (1 - source.random())))),
    ):
        cells = [shown(m, number_of(m), source) for m in (5, 20)]
        print(f"{name:26}" + "".join(f" {counts:15.0f}, {weights:7.0f}" for counts, weights in cells))


main()
