/*
 * stack.c
 *		Room on the stack for what expressions do.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expressions/stack.h"

/*
 * Bytes: more than the executor takes for a plan of ordinary depth, and than
 * the guards (guards.h) leave to functions.
 */
#define RESERVE ((size_t) 256 * 1024)

/* Looks at the stack from below what is reserved. */
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
