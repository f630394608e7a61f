/*
 * stack.c
 *		Stack for questions and for expressions over their rows.
 *
 * The reserve is not touched by this process: where the stack cannot grow, for
 * lack of address space or memory, that would end it, and with it all sessions
 * of the server. Instead, the kernel is asked to write a byte there. It lets
 * the stack grow down to that byte as if this process had written it, and
 * returns an error where it cannot.
 */
#include "postgres.h"

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "miscadmin.h"

#include "server/stack.h"

/*
 * Bytes: more than the executor needs for a plan of ordinary depth, and more
 * than the guards (expressions/guards.h) let functions use.
 */
#define RESERVE ((size_t) 256 * 1024)

/*
 * The lowest address that this process, or the one that it was forked from, has
 * found to be there. The kernel never shrinks a stack.
 */
static uintptr_t reached = UINTPTR_MAX;

/*
 * True where the depth of the stack, with the reserve, exceeds the limit. The
 * server measures it from a base, which it lets its callers put elsewhere.
 */
static bool
is_too_deep(void)
{
	pg_stack_base_t base = set_stack_base();
	bool result;

	restore_stack_base(base);
	if (base == NULL)
		return false; /* not known: the server does not limit it either */
	restore_stack_base(base + RESERVE);
	result = stack_is_too_deep();
	restore_stack_base(base);
	return result;
}

/* False where the stack cannot grow down to an address. */
static bool
can_grow_to(uintptr_t address)
{
	if (address >= reached)
		return true;
#if defined(__linux__) && defined(SYS_getrandom)
	if (syscall(SYS_getrandom, address, (size_t) 1, 0x1 /* do not wait */) <
			0 &&
		errno == EFAULT)
		return false;
#endif
	reached = address;
	return true;
}

void
dp_stack_reserve(void)
{
	char here;

	if (is_too_deep())
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("stack depth limit exceeded"),
				 errhint("Ask in a statement that is nested less deeply, or "
						 "increase max_stack_depth.")));
	if (!can_grow_to((uintptr_t) &here - RESERVE))
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
				 errdetail("The stack cannot grow by %zu kB.", RESERVE / 1024),
				 errhint("The server's processes are limited in address "
						 "space or memory; see ulimit -v.")));
}

void
dp_stack_enter(void)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
}
