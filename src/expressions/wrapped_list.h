/*
 * wrapped_list.h
 *		Rows of the list of wrapped functions, and families of such rows.
 */
#ifndef DP_EXPRESSIONS_WRAPPED_LIST_H
#define DP_EXPRESSIONS_WRAPPED_LIST_H

#include "expressions/wrapped.h"

/* clang-format off */
#define FUNCTION(name, arguments) {name, arguments, NULL, NULL, 0, 0, NULL}
#define IN_PLACE(name, arguments, symbol) {name, arguments, symbol, NULL, 0, 0, NULL}
#define RULED(name, arguments, guard, constants, rules) {name, arguments, NULL, guard, constants, rules, NULL}
#define CERTAIN(name, arguments, certainty, guard, constants, rules) {name, arguments, NULL, guard, constants, rules, certainty}
#define IN_ZONE(name, arguments) RULED(name, arguments, NULL, 0, DP_RULE_TIMEZONE)
#define KEPT(name, arguments, constants, rules) RULED(name, arguments, NULL, constants, DP_RULE_KEPT | (rules))
#define REGEXP(name, arguments, constants) RULED(name, arguments, dp_guard_regexp, constants, DP_RULE_PROBE | DP_RULE_LETTERS)

/* + - * and /, which numbers.c has */
#define ARITHMETIC(prefix, arguments) \
	IN_PLACE(prefix "pl", arguments, "dp_try_" prefix "pl"), \
	IN_PLACE(prefix "mi", arguments, "dp_try_" prefix "mi"), \
	IN_PLACE(prefix "mul", arguments, "dp_try_" prefix "mul"), \
	IN_PLACE(prefix "div", arguments, "dp_try_" prefix "div")

/* the rest, signs, bits and the hash of a type of integers */
#define INTEGERS(type) \
	IN_PLACE(type "mod", type " " type, "dp_try_" type "mod"), \
	IN_PLACE("mod", type " " type, "dp_try_" type "mod"), \
	IN_PLACE(type "um", type, "dp_try_" type "um"), \
	IN_PLACE(type "abs", type, "dp_try_" type "abs"), \
	IN_PLACE("abs", type, "dp_try_" type "abs"), \
	FUNCTION(type "and", type " " type), \
	FUNCTION(type "or", type " " type), \
	FUNCTION(type "xor", type " " type), \
	FUNCTION(type "not", type), \
	FUNCTION(type "up", type), \
	FUNCTION(type "shl", type " int4"), \
	FUNCTION(type "shr", type " int4"), \
	FUNCTION("hash" type, type)

/* = <> < <= > and >=, whose names have eq, ne and so on between two parts */
#define COMPARISONS(before, behind, arguments, rules) \
	RULED(before "eq" behind, arguments, NULL, 0, rules), \
	RULED(before "ne" behind, arguments, NULL, 0, rules), \
	RULED(before "lt" behind, arguments, NULL, 0, rules), \
	RULED(before "le" behind, arguments, NULL, 0, rules), \
	RULED(before "gt" behind, arguments, NULL, 0, rules), \
	RULED(before "ge" behind, arguments, NULL, 0, rules)

/* a range by its two ends, and by which of them are part of it */
#define RANGES(name, type) \
	RULED(name, type " " type, NULL, 0, DP_RULE_NULLS), \
	RULED(name, type " " type " text", dp_guard_range, 4, DP_RULE_NULLS | DP_RULE_PROBE | DP_RULE_EMPTY)

/* casts from each type of text to a type, and from it to each of them */
#define FROM_TEXTS(type, guard, rules) \
	RULED(DP_WRAPPED_CAST type, "text", guard, 0, rules), \
	RULED(DP_WRAPPED_CAST type, "varchar", guard, 0, rules), \
	RULED(DP_WRAPPED_CAST type, "bpchar", guard, 0, rules)
#define TO_TEXTS(type) \
	FUNCTION(DP_WRAPPED_CAST "text", type), \
	FUNCTION(DP_WRAPPED_CAST "varchar", type), \
	FUNCTION(DP_WRAPPED_CAST "bpchar", type)
/* clang-format on */

/* Both parts: wrapped_list.c, wrapped_types.c. */
extern const DpWrapped dp_wrapped_list[];
extern const size_t dp_wrapped_count;
extern const DpWrapped dp_wrapped_types[];
extern const size_t dp_wrapped_types_count;

#endif
