/*
 * dp_noise.c
 *		The module: starts its parts.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "aggregates/aggregate.h"
#include "gate/hook/planner.h"
#include "ledger/charge.h"
#include "server/settings.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	dp_aggregate_init();
	dp_settings_init();
	dp_ledger_init();
	dp_planner_init();
	MarkGUCPrefixReserved("dp_noise");
}
