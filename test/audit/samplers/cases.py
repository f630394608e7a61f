"""What is drawn, with its law: (name of the sampler in draw.c, parameters, law)."""

import laws
from laws import TICKS, coin
from exact import exp, minus_exp, ratio

HUGE = 2**62
ODD = 4611686018427387847  # a prime just below 2^62
MOST = 1_000_000 * TICKS   # the greatest epsilon


def uniforms():
    for bound in (1, 2, 3, 5, 7, 10, 2**32 + 1, 3 * 2**62, 2**63 + 1, 2**64 - 1):
        yield "below", (bound,), laws.Below(bound)
    for seen, limit in ((0, 3), (3, 3), (4, 3), (9, 1), (40, 7), (10**12, 5)):
        yield "slot", (seen, limit), laws.slot(seen, limit)
    for limit, a, b in ((1, 1, 1), (2, 2, 3), (3, 1, 5), (3, 5, 4), (4, 6, 2), (2, 0, 5)):
        yield "join", (limit, a, b), laws.uniform_subsets(a + b, limit)
    for number, wanted in ((1, 0), (1, 1), (5, 2), (6, 3), (8, 1), (8, 7)):
        yield "choice", (number, wanted), laws.uniform_subsets(number, wanted)


def coins():
    for n, d in ((0, 1), (1, 1), (5, 3), (1, 2), (1, 3), (2, 3), (1, 1000), (999, 1000),
                 (1, 2**63 - 1), (2**62, 2**63 - 1), (2**63 - 2, 2**63 - 1)):
        yield "bernoulli", (n, d), coin(ratio(min(n, d), d))
    for n, d in ((0, 1), (1, 1), (1, 2), (2, 3), (3, 2), (7, 1), (20, 1), (10**6, 1),
                 (1, ODD), (ODD, HUGE), (2**62 + 1, 2**62), (3, 10**6)):
        yield "exp", (n, d), coin(exp(n, d))
        yield "exp_wide", (n, d), coin(exp(n, d))
    yield "exp_wide", (2**70, 2**62), coin(exp(2**8))
    yield "exp_wide", (3 * 2**69, 2**68 // 2**7), coin(exp(3 * 2**69, 2**61))
    yield "exp_wide", (5 * 2**61, 2**62), coin(exp(5, 2))
    for a, b, c, d in ((1, 2, 1, 3), (1, 1, 1, 1), (0, 1, 1, 1), (ODD, HUGE, ODD - 2, HUGE), (1, 1000, 1, 2)):
        yield "exp_product", (a, b, c, d), coin(exp(a * c, b * d))
    for n, d in ((1, 1), (1, 2), (1, 1000), (2, 3), (ODD, HUGE)):
        yield "phi", (n, d), coin(minus_exp(n, d) / ratio(n, d))
    for n, d in ((1, 1), (1, 3), (7, 2), (1, 10**9)):
        for bits in (1, 6, 128):
            yield "real_coin", (n, d, bits), coin(exp(n, d))


def geometrics():
    for s, t in ((1, 1), (1, 3), (3, 1), (7, 2), (20, 1), (1, 1000), (1, HUGE), (HUGE, HUGE),
                 (ODD, HUGE), (HUGE, 1), (5, ODD), (TICKS // 10, TICKS), (1, TICKS)):
        yield "geometric", (s, t), laws.Geometric(s, t)
        yield "laplace", (s, t), laws.Laplace(s, t)
    for low, high, t in ((1, 1, 1), (1, 2, 1), (1, 2, 3), (1, 100, 10), (3, 4, 1), (1, 2, HUGE),
                         (HUGE - 1, HUGE, HUGE), (1, HUGE, HUGE), (1, HUGE, 1)):
        yield "chain_step", (low, high, t), laws.Chain(low, high, t)
        yield "chain_coin", (low, high, t), coin(laws.zero_step(low, high, t))


def reals():
    for n, d in ((1, 1), (1, 3), (3, 10), (26, 25), (7, 2), (100, 3), (900, 1), (10**6 + 1, 1), (2**61, 1),
                 (2**61, 3), (2**61 - 1, 2**20), (1, 2**61)):
        yield "gaussian", (n, d), laws.Gaussian(n, d)
    for kind in (0, 1):
        for n, d, limit, bits in ((1, 8, 2**60, 1), (2, 3, 2**60, 6), (1, 1, 2**60, 64), (7, 2, 2**60, 6),
                                  (100, 3, 2**60, 64), (5, 2, 4, 6), (3, 1, 0, 64), (2**100, 1, 1000, 64),
                                  (1, 2**62, 2**62, 64), (2**50 + 1, 3, 2**62, 64), (2**90 + 7, ODD, 2**62, 1)):
            yield "rounded", (kind, n, d, limit, bits), laws.Rounded(kind, n, d, limit)
    for D, r, ticks, bits in ((1, 1, TICKS, 128), (4, 1, TICKS, 128), (4, 4, TICKS, 6), (7, 3, TICKS // 2, 1),
                              (100, 37, 3 * TICKS, 128), (1000, 1, TICKS // 100, 128), (2**42, 2**41, TICKS, 128),
                              (2**42, 1, 20 * TICKS, 128), (5, 2, 1, 128), (5, 2, MOST, 128)):
        yield "staircase", (D, r, ticks, bits), laws.Staircase(D, r, ticks)
        for d in (2, 3):
            yield "joint_staircase", (D, r, ticks, bits, d), laws.JointStaircase(d, D, r, ticks)


def ranks():
    data = (3, 9, 9, 14, 20)
    for ticks, S, target, lower, upper, values, bits in (
            (TICKS, TICKS, 5 * TICKS // 2, 0, 31, data, 128), (TICKS, TICKS, 5 * TICKS // 2, 0, 31, data, 1),
            (4 * TICKS, TICKS // 2, TICKS, -10, 40, data, 6), (TICKS // 100, TICKS, 4 * TICKS, 0, 31, data, 128),
            (50 * TICKS, TICKS, 5 * TICKS // 2, 0, 31, data, 128), (TICKS, 2 * TICKS, -TICKS, 0, 31, data, 128),
            (TICKS, TICKS, 3, 0, 7, (), 128), (1, 1, 0, 0, 7, (2,), 128),
            (2 * TICKS, TICKS, 3 * TICKS // 2, -2**52, 2**52 - 2, (-2**51, 0, 1), 128),
            (MOST, 1, TICKS // 3, 0, 1000, (10, 900), 128)):
        yield ("rank", (ticks, S, bits, target, lower, upper, *values),
               laws.Rank(ticks, S, target, lower, upper, values))


def local():
    for ticks, k, index, bits in ((TICKS, 2, 0, 128), (TICKS, 5, 3, 6), (TICKS // 10, 3, 1, 128), (1, 4, 0, 128),
                                  (MOST, 4, 2, 128), (2 * TICKS, 3, 7, 128)):
        yield "response", (ticks, k, index, bits), laws.response(ticks, k, index)
    for optimal in (0, 1):
        for ticks in (1, TICKS // 3, TICKS, 8 * TICKS, MOST):
            for bit in (0, 1):
                yield "unary", (optimal, ticks, bit), laws.unary(optimal, ticks, bit)
    for ticks, of_report, stored in ((TICKS, TICKS // 2, 1), (TICKS, TICKS // 2, 0), (2, 1, 1), (MOST, MOST - 1, 0),
                                     (4 * TICKS, TICKS, 1)):
        yield "report", (ticks, of_report, stored), laws.report(ticks, of_report, stored)


def mechanisms():
    counts = (10, 12, 7, 12, 0)
    for mechanism in (laws.EXPONENTIAL, laws.PERMUTE_AND_FLIP, laws.ABSTRACT_STAIRCASE):
        for ticks, rows, first, substitute in ((TICKS, 1, 1, 0), (TICKS // 2, 3, 2, 1), (TICKS // 100, 1, 1, 0),
                                               (20 * TICKS, 4, 1, 0)):
            if mechanism != laws.ABSTRACT_STAIRCASE:
                first = 0
            yield ("selection", (mechanism, ticks, rows, first, substitute, *counts),
                   laws.selection(mechanism, ticks, rows, first, substitute, counts))
    for ticks, levels, half, n, d in ((TICKS, 3, 0, 1, 2), (2 * TICKS, 10, 1, 1, 3), (TICKS // 100, 2, 0, 0, 1),
                                      (50 * TICKS, 100, 1, 1, 1)):
        yield "two_stage", (ticks, levels, half, n, d), laws.two_stage(ticks, levels, half, n, d)
    for ticks, substitute, threshold, walk in ((TICKS, 0, 3, (9, 7, 5, 4, 3, 0)), (2 * TICKS, 1, 3, (9, 7, 5, 4, 3, 0)),
                                               (20 * TICKS, 0, 2, (4, 3, 2)), (TICKS // 10, 0, 0, (5, 3, 1, 0, 0))):
        yield ("above_threshold", (ticks, substitute, threshold, *walk),
               laws.above_threshold(ticks, substitute, threshold, walk))
    for mechanism, ticks, sensitivity, quantum, truth in ((1, TICKS, 1, 0, 0), (1, TICKS // 3, 1000, 0, 17),
                                                          (1, 1, 2**42, 0, -5), (1, MOST, 1, 0, 3),
                                                          (2, TICKS, 7, 3, 10), (2, TICKS // 2, 100, 7, -11),
                                                          (2, TICKS, 5, 8, 4)):
        yield ("noise", (mechanism, ticks, sensitivity, quantum, truth),
               laws.noise(ticks, sensitivity, quantum or 1, truth))
    for ticks, k, truth in ((TICKS, 1, 0), (TICKS, 14, 3), (TICKS // 10, 30, 5), (3 * TICKS, 2, 1)):
        yield "truncated", (ticks, k, truth), laws.truncated(ticks, k, truth)


def cases():
    for some in (uniforms, coins, geometrics, reals, ranks, local, mechanisms):
        yield from some()
