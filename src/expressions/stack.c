/*
 * stack.c
 *		Stack reserved for expressions.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expressions/stack.h"

/*
 * Bytes: more than the executor needs for a plan of ordinary depth, and more
 * than the guards (guards.h) let functions use.
 */
#define RESERVE ((size_t) 256 * 1024)

/* Checks the stack's depth as if the reserve were in use. */
static pg_noinline int
check_below(const volatile char *reserve)
{
	check_stack_depth();
	return reserve[0];
}

void
dp_stack_reserve(void)
{
	volatile char reserve[RESERVE];

	reserve[0] = 0;
	(void) check_below(reserve);
}
