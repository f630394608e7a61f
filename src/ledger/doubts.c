/*
 * doubts.c
 *		What protect() warns of: declarations that are allowed, and often mistakes.
 *
 * dp_noise.doubts_of finds them (sql/install/doubts.sql), by foreign keys and
 * names of columns alone. Other relations that they follow from may belong to
 * somebody else, so none is named.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "ledger/doubts.h"

static void
tell(const char *doubt, const char *relation, const char *population)
{
	if (strcmp(doubt, "other people") == 0)
		ereport(WARNING,
				(errmsg("foreign keys say that the privacy units of \"%s\" are "
						"others than those of population \"%s\"",
						relation, population),
				 errhint("If they are other people, protect it in a population "
						 "of its own: what is spent bounds nothing "
						 "otherwise.")));
	else if (strcmp(doubt, "no people") == 0)
		ereport(WARNING,
				(errmsg("nothing says that the privacy units of \"%s\" are the "
						"people of population \"%s\"",
						relation, population),
				 errhint("If they are, a foreign key says so. If they are "
						 "other people, protect it in a population of its own; "
						 "if it is about nobody, do not protect it.")));
	else if (strcmp(doubt, "rows") == 0)
		ereport(WARNING,
				(errmsg("each row of \"%s\" counts as a person, though "
						"protected relations refer to it",
						relation),
				 errhint("If it is about nobody, such as a list of wards, end "
						 "its protection with dp_noise.unprotect(), and grant "
						 "SELECT on it. If rows belong to people, write the "
						 "column that tells these apart as privacy_unit.")));
	else
		ereport(WARNING,
				(errmsg("view \"%s\" is read as its owner, whatever row "
						"security lets its askers see",
						relation),
				 errhint("Write what may be asked about into the view's "
						 "WHERE.")));
}

void
dp_doubts_tell(Oid relation, const char *population)
{
	Oid types[1] = {OIDOID};
	Oid function = LookupFuncName(list_make2(makeString(pstrdup("dp_noise")),
											 makeString(pstrdup("doubts_of"))),
								  1, types, false);
	Datum *doubts;
	bool *nulls;
	int count;
	int i;

	PushActiveSnapshot(GetLatestSnapshot());
	deconstruct_array(DatumGetArrayTypeP(OidFunctionCall1(
						  function, ObjectIdGetDatum(relation))),
					  TEXTOID, -1, false, TYPALIGN_INT, &doubts, &nulls,
					  &count);
	PopActiveSnapshot();
	for (i = 0; i < count; i++)
		tell(TextDatumGetCString(doubts[i]), get_rel_name(relation),
			 population);
}
