/*
 * wrapped_list.h
 *		Rows of the list of wrapped functions.
 */
#ifndef DP_EXPRESSIONS_WRAPPED_LIST_H
#define DP_EXPRESSIONS_WRAPPED_LIST_H

#include "expressions/wrapped.h"

/* clang-format off */
#define FUNCTION(name, arguments) {name, arguments, NULL, NULL, 0, 0, NULL}
#define IN_PLACE(name, arguments, symbol) {name, arguments, symbol, NULL, 0, 0, NULL}
#define RULED(name, arguments, guard, constants, rules) {name, arguments, NULL, guard, constants, rules, NULL}
#define CERTAIN(name, arguments, certainty, guard, constants, rules) {name, arguments, NULL, guard, constants, rules, certainty}
/* clang-format on */

/* Both parts: wrapped_list.c, wrapped_types.c. */
extern const DpWrapped dp_wrapped_list[];
extern const size_t dp_wrapped_count;
extern const DpWrapped dp_wrapped_types[];
extern const size_t dp_wrapped_types_count;

#endif
