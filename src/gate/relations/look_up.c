/*
 * look_up.c
 *		Look-ups in the extension's tables.
 *
 * They run as the superuser that owns these tables, without messages, and
 * under settings that no user can change.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"

#include "gate/relations/look_up.h"
#include "gate/relations/silence.h"
#include "server/settings.h"

/*
 * True while the gate runs a look-up; restored when that ends, also with an
 * error.
 */
static bool asking = false;

bool
dp_gate_is_asking(void)
{
	return asking;
}

static SPIPlanPtr
plan_of(DpLookUp *look_up)
{
	if (look_up->plan == NULL)
	{
		SPIPlanPtr plan =
			SPI_prepare(look_up->sql, look_up->nargs, look_up->types);

		if (plan == NULL || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not plan a look-up of a protected relation");
		look_up->plan = plan;
	}
	return look_up->plan;
}

bool
dp_gate_look_up(const DpPicture *picture, DpLookUp *look_up, Datum *args,
				int ncolumns, Datum *values)
{
	MemoryContext context = CurrentMemoryContext;
	bool outer = asking;
	Oid user;
	int security;
	int nest;
	volatile bool found = false;
	SPIPlanPtr plan;
	int i;

	GetUserIdAndSecContext(&user, &security);
	nest = dp_silence_begin();
	asking = true;
	PG_TRY();
	{
		SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID,
							   security | SECURITY_LOCAL_USERID_CHANGE |
								   SECURITY_NOFORCE_RLS);
		dp_setting_change("search_path", "pg_catalog, pg_temp");
		dp_setting_change("plan_cache_mode", "force_generic_plan");

		/* pg_dump sets it, and newer minor versions only have it. */
		dp_setting_change("restrict_nonsystem_relation_kind", "");
		if (SPI_connect() != SPI_OK_CONNECT)
			elog(ERROR, "could not connect to the server's SQL interface");
		plan = plan_of(look_up);
		if (SPI_execute_snapshot(plan, args, NULL, picture->snapshot,
								 InvalidSnapshot, true, false,
								 1) != SPI_OK_SELECT)
			elog(ERROR, "could not look up a protected relation");
		found = SPI_processed > 0;
		for (i = 0; found && i < ncolumns; i++)
		{
			bool isnull;
			Datum value = SPI_getbinval(SPI_tuptable->vals[0],
										SPI_tuptable->tupdesc, i + 1, &isnull);
			Form_pg_attribute attribute =
				TupleDescAttr(SPI_tuptable->tupdesc, i);
			MemoryContext old = MemoryContextSwitchTo(context);

			values[i] = isnull ? (Datum) 0
							   : datumCopy(value, attribute->attbyval,
										   attribute->attlen);
			MemoryContextSwitchTo(old);
		}
		SPI_finish();
	}
	PG_FINALLY();
	{
		asking = outer;
		AtEOXact_GUC(true, nest);
		SetUserIdAndSecContext(user, security);
	}
	PG_END_TRY();
	return found;
}

List *
dp_gate_texts_of(Datum array)
{
	List *texts = NIL;
	Datum *elements;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, NULL, &count);
	for (i = 0; i < count; i++)
		texts = lappend(texts, TextDatumGetCString(elements[i]));
	return texts;
}
