"""The laws of the samplers, from their definitions, as enclosures.

A law says of an integer z what P(value <= z) is (below), or for a few values what
each one's probability is (chances), and of a residue where there is a formula
(residue). It is written from what the headers of src/samplers, src/mechanisms and
src/local promise, not from how they draw.
"""

from itertools import combinations
from math import comb

from exact import (ONE, PI, Real, UNIT, ZERO, atan, exp, gauss, minus_exp, ratio, root)

TICKS = 1 << 20  # of an epsilon of 1


class Law:
    residue = None
    centre = 0
    width = 1  # about how wide the law is

    def chances(self):
        return None


class Finite(Law):
    """Values 0, 1, ... or those of a list."""

    def __init__(self, chances, values=None):
        self.list = list(chances)
        self.values = values or list(range(len(self.list)))

    def chances(self):
        return list(zip(self.values, self.list))


def coin(heads):
    return Finite([1 - heads, heads])


def uniform_subsets(number, wanted):
    subsets = [sum(1 << i for i in s) for s in combinations(range(number), wanted)]
    return Finite([ratio(1, comb(number, wanted))] * len(subsets), sorted(subsets))


class Below(Law):
    """Uniform on 0 .. bound - 1."""

    def __init__(self, bound):
        self.bound = bound
        self.centre, self.width = bound // 2, max(1, bound // 8)

    def below(self, z):
        return ratio(min(max(z + 1, 0), self.bound), self.bound)

    def residue(self, r, m):
        return ratio((self.bound - r + m - 1) // m if r < self.bound else 0, self.bound)


class Geometric(Law):
    def __init__(self, s, t):
        self.s, self.t = s, t
        self.width = max(1, t // s)

    def below(self, z):
        return minus_exp(self.s * (z + 1), self.t) if z >= 0 else ZERO

    def residue(self, r, m):
        return minus_exp(self.s, self.t) * exp(self.s * r, self.t) / minus_exp(self.s * m, self.t)


class Laplace(Law):
    def __init__(self, s, t, quantum=1, shift=0):
        self.s, self.t, self.quantum, self.centre = s, t, quantum, shift
        self.width = max(1, t * quantum // s)

    def below(self, z):
        z = (z - self.centre) // self.quantum
        if z < 0:
            return exp(self.s * -z, self.t) / (1 + exp(self.s, self.t))
        return 1 - exp(self.s * (z + 1), self.t) / (1 + exp(self.s, self.t))

    def residue(self, r, m):
        if self.quantum != 1 or self.centre != 0:
            return None
        far = exp(self.s * m, self.t)
        either = exp(self.s * r, self.t) + exp(self.s * (m - r), self.t) if r else 1 + far
        return minus_exp(self.s, self.t) * either / ((1 + exp(self.s, self.t)) * (1 - far))


def zero_step(low, high, t):
    """(1-a)/(1-h) of a chain's step."""
    return UNIT if low == high else minus_exp(low, t) / minus_exp(high, t)


class Chain(Law):
    def __init__(self, low, high, t):
        self.low, self.t = low, t
        self.zero = zero_step(low, high, t)
        self.width = max(1, t // low)

    def below(self, z):
        # P(W1 - W2 >= d) for d >= 1 is (1-c)(c + (1-c) a/(1+a)) a^(d-1)
        c, a = self.zero, exp(self.low, self.t)
        rest = (1 - c) * (c + (1 - c) * a / (1 + a))
        if z < 0:
            return rest * exp(self.low * (-z - 1), self.t)
        return 1 - rest * exp(self.low * z, self.t)


class Gaussian(Law):
    """sigma = numerator / denominator."""

    def __init__(self, numerator, denominator):
        self.n, self.d = numerator, denominator
        self.width = max(1, numerator // denominator)
        self.sums = None
        if self.width <= 100:
            reach = 40 * self.width + 40
            weights = [self.weight(z) for z in range(reach + 1)]
            # what is left out is less than the last weight times 2 sigma
            total = weights[0]
            for weight in weights[1:]:
                total = total + 2 * weight
            total = total + Real(0, weights[-1].high * 4 * (self.width + 1))
            self.sums = {}
            sofar = Real(0, weights[-1].high * 2 * (self.width + 1))
            for z in range(-reach, reach + 1):
                sofar = sofar + weights[abs(z)]
                self.sums[z] = sofar / total

    def weight(self, z):
        return exp(z * z * self.d * self.d, 2 * self.n * self.n)

    def below(self, z):
        if self.sums is not None:
            reach = max(self.sums)
            return ZERO if z < -reach else self.sums[min(z, reach)]
        # The sum of exp(-x^2 / 2 sigma^2) over integers up to z against the integral
        # up to z + 1/2: of the whole they differ by less than 1 / sigma^2 (the rule
        # of midpoints: 1/24 of the integral of |f''|, which is 4 max |f'|).
        # x / (sigma sqrt 2) to 60 digits
        scale = 10**60
        two = root(ratio(2, 1))
        edge = ((2 * z + 1) * self.d * scale * ONE) // (2 * self.n * two.low)
        part = (gauss(edge, scale) + root(PI) / 2) / root(PI)
        # the edge is off by less than 1e-59, the density is below 1
        return part.widened(ratio(self.d * self.d, self.n * self.n) + ratio(1, 10**50)).clamped()


class Rounded(Law):
    """scale * Z, rounded and clamped; Z a Cauchy (0) or a Laplace (1) number."""

    def __init__(self, kind, numerator, denominator, limit):
        self.kind, self.n, self.d, self.limit = kind, numerator, denominator, limit
        self.width = max(1, min(limit // 2, numerator // denominator))

    def below(self, z):
        if z >= self.limit:
            return UNIT
        if z < -self.limit:
            return ZERO
        top, bottom = (2 * z + 1) * self.d, 2 * self.n
        if self.kind == 0:
            return ratio(1, 2) + atan(top, bottom) / PI
        if top < 0:
            return exp(-top, bottom) / 2
        return 1 - exp(top, bottom) / 2


class Staircase(Law):
    def __init__(self, sensitivity, first, ticks):
        self.D, self.r, self.ticks = sensitivity, first, ticks
        self.b = exp(ticks, TICKS)
        self.level = self.r + self.b * (self.D - self.r)
        self.a = (1 - self.b) / (2 * self.level - (1 - self.b))
        self.width = max(1, sensitivity * max(1, TICKS // ticks))

    def ahead(self, m):
        """The sum over 0 .. m of the weights."""
        q, rest = divmod(m + 1, self.D)
        before = exp(self.ticks * q, TICKS)
        return (self.level * (1 - before) / (1 - self.b) +
                before * (min(rest, self.r) + self.b * max(rest - self.r, 0)))

    def below(self, z):
        if z < 0:
            return 1 - self.below(-z - 1)
        return (1 - self.a) / 2 + self.a * self.ahead(z)


class JointStaircase(Law):
    """The first of d integers that are drawn together."""

    def __init__(self, d, sensitivity, first, ticks):
        self.d, self.D, self.r, self.ticks = d, sensitivity, first, ticks
        self.b = exp(ticks, TICKS)
        self.width = max(1, sensitivity * max(1, TICKS // ticks))

        def smaller(n):
            return 2 * n * (n - 1) + 1 if d == 2 else (2 * n - 1) * (2 * n * (n - 1) + 3) // 3

        self.all = self.series(smaller, first)

    def series(self, count, n):
        """The sum over k of b^k (1-b) count(n + kD), times (1-b)^d."""
        values = [count(n + i * self.D) for i in range(self.d + 1)]
        total = ZERO
        for i in range(self.d + 1):
            term = ratio(values[0], 1)
            for j in range(self.d):
                term = term * (self.b if j < i else 1 - self.b)
            total = total + term
            values = [b - a for a, b in zip(values, values[1:])]
        return total

    def beyond(self, h):
        """P(|X| > h)"""
        level = max(0, -((self.r - h - 1) // self.D))

        def wider(n):
            m = n - h - 1
            return 2 * m * m if self.d == 2 else 2 * m * (2 * m * m + 1) // 3

        return exp(self.ticks * level, TICKS) * self.series(wider, self.r + level * self.D) / self.all

    def below(self, z):
        return self.beyond(-z - 1) / 2 if z < 0 else 1 - self.beyond(z) / 2


class Rank(Law):
    """The exponential mechanism, scored by rank: P(v) ~ exp(-epsilon k(v) / (2 S))."""

    def __init__(self, ticks, sensitivity, target, lower, upper, values):
        one = 1 << 20
        edges = sorted({lower, upper + 1} | set(values) | {v + 1 for v in values})
        self.pieces = []
        total = ZERO
        for start, end in zip(edges, edges[1:]):
            if start > upper:
                break
            less = sum(v < start for v in values)
            equal = sum(v == start for v in values)
            k = max(0, one * less - target, target - one * (less + equal))
            top, bottom = ticks * k, TICKS * 2 * sensitivity
            # flat from exp(-128) on
            weight = exp(top, bottom) if top < 128 * bottom else Real(0, exp(128).high)
            self.pieces.append((start, end, weight))
            total = total + weight * (end - start)
        self.total = total
        self.edges = edges
        self.upper = upper
        self.centre, self.width = values[len(values) // 2] if values else (lower + upper) // 2, max(1, (upper - lower) // 16)

    def below(self, z):
        if z >= self.upper:
            return UNIT
        total = ZERO
        for start, end, weight in self.pieces:
            if z >= start:
                total = total + weight * (min(z + 1, end) - start)
        return total / self.total


def slot(seen, limit):
    if seen < limit:
        return Finite([UNIT], [seen])
    return Finite([ratio(1, seen + 1)] * limit + [ratio(seen + 1 - limit, seen + 1)])


def response(ticks, k, index):
    h = exp(ticks, TICKS)
    p, q = 1 / (1 + (k - 1) * h), h / (1 + (k - 1) * h)
    return Finite([p if i == index else q if index < k else ratio(1, k) for i in range(k)])


def unary(optimal, ticks, bit):
    if optimal:
        return coin(ratio(1, 2) if bit else exp(ticks, TICKS) / (1 + exp(ticks, TICKS)))
    flip = exp(ticks, 2 * TICKS) / (1 + exp(ticks, 2 * TICKS))
    return coin(1 - flip if bit else flip)


def report(ticks, report_ticks, stored):
    x, y = exp(report_ticks, 2 * TICKS), exp(ticks, 2 * TICKS)
    keep = (1 - x * y) / ((1 + x) * (1 - y))
    # rounded down to a multiple of 2^-32
    keep = ratio(keep.low * 2**32 // ONE, 2**32)
    return coin(keep if stored else 1 - keep)


EXPONENTIAL, PERMUTE_AND_FLIP, ABSTRACT_STAIRCASE = 6, 11, 12  # DpMechanism


def selection(mechanism, ticks, rows, first, substitute, counts):
    e = (ticks, TICKS * (2 if substitute else 1))
    best = max(counts)
    if mechanism == ABSTRACT_STAIRCASE:
        def level(q):
            return q // rows + (q % rows >= first)
        weights = [exp(e[0] * (level(best) - level(q)), e[1]) for q in counts]
    else:
        weights = [exp(e[0] * (best - q), e[1] * rows) for q in counts]
    if mechanism != PERMUTE_AND_FLIP:
        total = sum(weights, ZERO)
        return Finite([w / total for w in weights])
    # the first heads in a random order: w_i times the sum over sets of the others, with
    # alternating signs, of their product over one more than their number
    chances = []
    for i, w in enumerate(weights):
        sums = [UNIT]  # elementary symmetric functions of the others
        for j, other in enumerate(weights):
            if j != i:
                sums = [a + b * other for a, b in zip(sums + [ZERO], [ZERO] + sums)]
        total = ZERO
        for k, part in enumerate(sums):
            total = total + part / (k + 1) * (-1)**k
        chances.append(w * total)
    return Finite(chances)


def two_stage(ticks, levels, half, numerator, denominator):
    last = levels - 1
    start = (2 * last * numerator + denominator) // (2 * denominator)
    law = Laplace(ticks, TICKS * ((last + 1) // 2 if half else last))
    below = [ZERO] + [law.below(level - start) for level in range(last)] + [UNIT]
    return Finite([b - a for a, b in zip(below, below[1:])])


def truncated(ticks, k, truth):
    weights = [exp(ticks * abs(x), TICKS) for x in range(-k, k + 1)]
    total = sum(weights, ZERO)
    return Finite([w / total for w in weights], list(range(truth - k, truth + k + 1)))


def above_threshold(ticks, substitute, threshold, counts):
    s, first, others = ticks, 2 * TICKS, (4 if substitute else 2) * TICKS
    most = 70 * first // s + 1
    chances = [ZERO] * (len(counts) + 1)
    for nu in range(most + 1):
        rest = exp(s * nu, first) * minus_exp(s, first)
        for i, count in enumerate(counts):
            x = count + nu - threshold
            stops = UNIT if x <= 0 else exp(s * x, others)
            chances[i] = chances[i] + rest * stops
            rest = rest * (1 - stops)
        chances[-1] = chances[-1] + rest
    beyond = Real(0, exp(s * (most + 1), first).high)
    return Finite([c + beyond for c in chances])


def noise(ticks, sensitivity, quantum, truth):
    steps = -(-sensitivity // quantum)
    nearest = (2 * truth + quantum) // (2 * quantum) * quantum
    return Laplace(ticks, TICKS * steps, quantum, nearest)
