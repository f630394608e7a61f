/*
 * protection.c
 *		Look-ups in the extension's tables and catalogs.
 *
 * Nothing is kept beyond the planning of a statement
 * (gate/relations/picture.h): only statements with a dp_ aggregate,
 * or that the server will refuse, get here, so a look-up for each of them is
 * cheap enough.
 *
 * The extension's tables hold names of columns, which are looked up among the
 * relation's present columns. The relation's definition is taken before that.
 * So if the columns are changed in between, the names are found among columns
 * at least as new, and the definition no longer matches when the statement
 * runs.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "gate/relations/look_up.h"
#include "gate/relations/picture.h"
#include "gate/relations/protection.h"
#include "server/compat.h"
#include "server/unique_index.h"

/* What the tables have of a relation. */
#define SELECT_SETTINGS \
	"SELECT m.member_id, m.settings_version, m.neighbours = 'substitute'," \
	" m.max_rows_per_unit, m.max_groups_per_unit, m.unit, m.levels::text[]," \
	" m.path_columns::text[], t.relation, m.path_keys::text[]," \
	" m.population_id, p.owner, p.accountant = 'zcdp'" \
	" FROM dp_noise_ledger.member AS m" \
	" JOIN dp_noise_ledger.population AS p" \
	" ON p.population_id = m.population_id" \
	" LEFT JOIN dp_noise_ledger.member AS t" \
	" ON t.member_id = m.path_member_id" \
	" WHERE m.relation = $1"

/* Columns of names; NIL where one of them is not there. */
static List *
columns_of(Oid relation, Datum names)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, dp_gate_texts_of(names))
	{
		AttrNumber column = get_attnum(relation, lfirst(cell));

		if (column <= 0)
			return NIL;
		columns = lappend_int(columns, column);
	}
	return columns;
}

/* Sets the path to the relation that has the unit, if there is one. */
static void
set_path(DpProtection *protection, Datum columns, Datum relation, Datum keys)
{
	if (columns == (Datum) 0)
		return;
	protection->unit = DP_UNIT_BY_PATH;
	protection->path_relation = DatumGetObjectId(relation);
	protection->path_columns = columns_of(protection->relation, columns);
	if (OidIsValid(protection->path_relation))
		protection->path_keys = columns_of(protection->path_relation, keys);
}

/*
 * The settings of a relation in the tables; false where it is not protected.
 * unit: name of the column, or NULL.
 */
static bool
look_up_settings(const DpPicture *picture, DpPictured *pictured,
				 const char **unit)
{
	static DpLookUp look_up = {SELECT_SETTINGS, 1, {OIDOID}, NULL};
	DpProtection *protection = &pictured->protection;
	Datum args[] = {ObjectIdGetDatum(pictured->relation)};
	Datum values[13];
	ListCell *cell;

	if (!OidIsValid(get_extension_oid("dp_noise", true)) ||
		!dp_gate_look_up(picture, &look_up, args, lengthof(values), values))
		return false;
	protection->member = DatumGetInt32(values[0]);
	protection->settings_version = DatumGetInt64(values[1]);
	protection->contribution.neighbours =
		DatumGetBool(values[2]) ? DP_SUBSTITUTE : DP_ADD_REMOVE;
	protection->contribution.rows = (uint32) DatumGetInt32(values[3]);
	protection->contribution.groups = (uint32) DatumGetInt32(values[4]);
	*unit = values[5] == (Datum) 0 ? NULL : NameStr(*DatumGetName(values[5]));
	set_path(protection, values[7], values[8], values[9]);
	protection->population = DatumGetInt32(values[10]);
	protection->population_owner = DatumGetObjectId(values[11]);
	protection->counts_rho = DatumGetBool(values[12]);
	pictured->levels = NIL;
	if (values[6] != (Datum) 0)
	{
		foreach (cell, dp_gate_texts_of(values[6]))
			pictured->levels =
				lappend(pictured->levels, makeFloat(lfirst(cell)));
	}
	return true;
}

/* True for an index of which no two rows have the same value in a column. */
static bool
is_unique_index(Oid index, AttrNumber column)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	Form_pg_index form;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	result = dp_is_unique_index(tuple) && form->indnkeyatts == 1 &&
			 form->indkey.values[0] == column;
	ReleaseSysCache(tuple);
	return result;
}

bool
dp_gate_has_heirs(Relation relation)
{
	return relation->rd_rel->relkind == RELKIND_RELATION &&
		   relation->rd_rel->relhassubclass;
}

/*
 * The index that makes a column's values unique. An index says nothing about
 * the rows of inheriting tables.
 */
static Oid
find_unit_index(Relation relation, AttrNumber column)
{
	Oid found = InvalidOid;
	List *indexes;
	ListCell *cell;

	if (column <= 0 || dp_gate_has_heirs(relation))
		return InvalidOid;
	indexes = RelationGetIndexList(relation); /* in the order of oids */
	foreach (cell, indexes)
	{
		if (!OidIsValid(found) && is_unique_index(lfirst_oid(cell), column))
			found = lfirst_oid(cell);
	}
	list_free(indexes);
	return found;
}

/* The column of a name; -1 where there is none. */
static AttrNumber
find_column(Oid relation, const char *name)
{
	AttrNumber column = get_attnum(relation, name);

	return column > 0 ? column : -1;
}

/*
 * What the catalogs say of the unit, and the definition that goes with it.
 * Where the index has changed since the definition was taken, there is none.
 */
static void
look_up_unit(DpProtection *protection, const char *unit)
{
	Relation relation = RelationIdGetRelation(protection->relation);
	Oid index;

	if (relation == NULL)
	{
		protection->unit = -1;
		return;
	}
	index = unit == NULL
				? InvalidOid
				: find_unit_index(relation,
								  find_column(protection->relation, unit));
	protection->definition = dp_definition_of(protection->relation, index);
	if (protection->unit == DP_UNIT_BY_PATH && unit == NULL)
	{
		RelationClose(relation);
		return;
	}
	protection->unit =
		unit == NULL ? 0 : find_column(protection->relation, unit);
	protection->unit_index = find_unit_index(relation, protection->unit);
	if (protection->unit_index != index)
		protection->definition = NULL;
	protection->unit_is_not_null =
		protection->unit == 0 ||
		(protection->unit > 0 &&
		 dp_compat_is_never_null(relation, protection->unit));
	protection->unit_is_unique =
		protection->unit == 0 || OidIsValid(protection->unit_index);
	RelationClose(relation);
}

DpPictured *
dp_gate_pictured(Oid relation)
{
	DpPicture *picture = dp_gate_current_picture();
	DpPictured *pictured = dp_gate_find_pictured(picture, relation);
	MemoryContext old;
	const char *unit;

	if (pictured->is_known)
		return pictured;
	old = MemoryContextSwitchTo(picture->context);
	memset(&pictured->protection, 0, sizeof(DpProtection));
	pictured->protection.relation = relation;
	pictured->protection.is_protected =
		look_up_settings(picture, pictured, &unit);
	if (pictured->protection.is_protected)
		look_up_unit(&pictured->protection, unit);
	else
		pictured->protection.definition =
			dp_definition_of(relation, InvalidOid);
	pictured->is_known = true;
	MemoryContextSwitchTo(old);
	return pictured;
}

const DpProtection *
dp_gate_protection(Oid relation)
{
	return &dp_gate_pictured(relation)->protection;
}

bool
dp_gate_is_protected(Oid relation)
{
	return dp_gate_protection(relation)->is_protected;
}

Oid
dp_gate_protected_view(const RangeTblEntry *rte)
{
	Oid view = dp_compat_view_of(rte);

	return OidIsValid(view) && dp_gate_is_protected(view) ? view : InvalidOid;
}

bool
dp_gate_is_not_null(Oid relation, AttrNumber column)
{
	Relation found = RelationIdGetRelation(relation);
	bool result;

	if (found == NULL)
		return false;
	result = dp_compat_is_never_null(found, column);
	RelationClose(found);
	return result;
}
