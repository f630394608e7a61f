/*
 * asan_first.c
 *		Starts AddressSanitizer before anything else of a process is started.
 *
 * It starts at the first malloc(), and asks the loader for names that are not
 * there, which are reported in the user's language. Where that malloc() is one
 * of bindtextdomain(), called as some library is initialised, both wait for each
 * other. This library is preloaded beside libasan and initialised before all.
 */
#include <stdlib.h>

static void __attribute__((constructor))
start(void)
{
	free(malloc(1));
}
