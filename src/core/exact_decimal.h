/*
 * exact_decimal.h
 *		Doubles as the decimal numbers that they are.
 */
#ifndef DP_CORE_EXACT_DECIMAL_H
#define DP_CORE_EXACT_DECIMAL_H

/* Room for any of them: sign, "0.", 1074 digits and the terminating zero. */
#define DP_EXACT_DECIMAL_SIZE 1080

/*
 * Writes the exact value of a double, without superfluous digits: 0.1 as
 * 0.1000000000000000055511151231257827021181583404541015625, 1e3 as 1000, zeros
 * of either sign as 0. Two doubles have the same text exactly if they are
 * equal. Doubles that are not finite are written as NaN, Infinity and
 * -Infinity.
 */
extern void dp_exact_decimal(double value, char text[DP_EXACT_DECIMAL_SIZE]);

#endif
