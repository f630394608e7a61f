/*
 * dp_noise.c
 *		The module: starts its parts.
 */
#include "postgres.h"

#include "fmgr.h"

#include "server/settings.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	dp_settings_init();
}
