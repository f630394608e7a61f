"""Enclosures of real numbers by integers.

A number is known to lie in low / 2^BITS .. high / 2^BITS. Every operation rounds low
down and high up, so what holds for the operands holds for the result. No float takes
part, and nothing of the library: exp, atan and pi are made of their series here.
"""

BITS = 384
ONE = 1 << BITS


def down(numerator, denominator):
    return numerator // denominator


def up(numerator, denominator):
    return -(-numerator // denominator)


class Real:
    """An enclosure."""

    __slots__ = ("low", "high")

    def __init__(self, low, high):
        assert low <= high
        self.low = low
        self.high = high

    def __add__(self, other):
        other = real(other)
        return Real(self.low + other.low, self.high + other.high)

    __radd__ = __add__

    def __neg__(self):
        return Real(-self.high, -self.low)

    def __sub__(self, other):
        return self + -real(other)

    def __rsub__(self, other):
        return real(other) - self

    def __mul__(self, other):
        if isinstance(other, int):
            ends = (self.low * other, self.high * other)
            return Real(min(ends), max(ends))
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Real(down(min(ends), ONE), up(max(ends), ONE))

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = real(other)
        if other.low <= 0:
            raise ZeroDivisionError("the divisor is not known to be positive")
        ends = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Real(min(down(a * ONE, b) for a, b in ends),
                    max(up(a * ONE, b) for a, b in ends))

    def __rtruediv__(self, other):
        return real(other) / self

    def clamped(self):
        """As a probability."""
        return Real(min(max(self.low, 0), ONE), min(max(self.high, 0), ONE))

    def widened(self, amount):
        return Real(self.low - amount.high, self.high + amount.high)


def real(value):
    if isinstance(value, Real):
        return value
    return Real(value * ONE, value * ONE)


def ratio(numerator, denominator):
    return Real(down(numerator * ONE, denominator), up(numerator * ONE, denominator))


ZERO = real(0)
UNIT = real(1)


def exp(numerator, denominator=1):
    """exp(-numerator/denominator), of a ratio that is not negative."""
    if numerator == 0:
        return UNIT
    if numerator > 1000 * denominator:
        return Real(0, 1)  # below 2^-1442
    halvings = max(0, (256 * numerator // denominator).bit_length())
    y = ratio(numerator, denominator << halvings)
    # 1 - y + y^2/2 - ...: an enclosure after each pair of terms, as y <= 1/2
    total, term, k = UNIT, UNIT, 0
    while term.high > 1:
        k += 1
        term = term * y / k
        total = total - term if k % 2 else total + term
    total = total.widened(term)
    for _ in range(halvings):
        total = total * total
    return total


def minus_exp(numerator, denominator=1):
    """1 - exp(-numerator/denominator)."""
    return 1 - exp(numerator, denominator)


def atan_small(x):
    """atan(x) for an enclosure within -1/2 .. 1/2."""
    total, power, square, k = ZERO, x, x * x, 0
    while True:
        term = power / (2 * k + 1)
        total = total - term if k % 2 else total + term
        if max(abs(term.low), abs(term.high)) <= 4:
            return total.widened(Real(0, 8))
        power = power * square
        k += 1


# Machin's formula
PI = 16 * atan_small(ratio(1, 5)) - 4 * atan_small(ratio(1, 239))


def atan(numerator, denominator):
    """atan of a ratio; denominator above 0."""
    if numerator < 0:
        return -atan(-numerator, denominator)
    if numerator > denominator:
        return PI / 2 - atan(denominator, numerator)
    if 2 * numerator <= denominator:
        return atan_small(ratio(numerator, denominator))
    # atan(x) = atan(1/2) + atan((x - 1/2) / (1 + x/2))
    return atan_small(ratio(1, 2)) + atan_small(
        ratio(2 * numerator - denominator, 2 * denominator + numerator))


def gauss(numerator, denominator):
    """The integral of exp(-x^2) over 0 .. numerator/denominator."""
    if numerator < 0:
        return -gauss(-numerator, denominator)
    if numerator > 12 * denominator:
        # sqrt(pi)/2, less than exp(-144)
        return root(PI) / 2 + Real(-exp(144).high, 0)
    x = ratio(numerator, denominator)
    total, power, square, n = ZERO, x, x * x, 0
    while True:
        term = power / (2 * n + 1)
        total = total - term if n % 2 else total + term
        if term.high <= 4 and n > 144:
            return total.widened(Real(0, 8))
        n += 1
        power = power * square / n


def root(x):
    """The square root."""
    from math import isqrt
    return Real(isqrt(x.low << BITS), isqrt(x.high << BITS) + 1)
