/*
 * scans.c
 *		Reads protected relations in FROM.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "gate/facts/facts.h"
#include "gate/facts/unique_keys.h"
#include "gate/read/equated.h"
#include "gate/read/joins.h"
#include "gate/read/read_shapes.h"
#include "gate/read/scans.h"
#include "gate/relations/locations.h"
#include "gate/relations/populations.h"
#include "gate/relations/protection.h"
#include "gate/relations/refusal.h"
#include "server/citus.h"
#include "server/collations.h"
#include "server/compat.h"
#include "server/ownership.h"
#include "server/stack.h"

/*
 * The nodes of Citus are asked as the owner, for whom policies do not count, unless
 * they are forced. Those would leave out rows without the tree knowing, by
 * conditions that may read other rows.
 */
static void
refuse_forced_policies(Oid relation)
{
	HeapTuple tuple;
	bool is_forced;

	if (!dp_citus_distributes(relation))
		return;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relation);
	is_forced = ((Form_pg_class) GETSTRUCT(tuple))->relforcerowsecurity;
	ReleaseSysCache(tuple);
	if (is_forced)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("\"%s\", which Citus distributes, has forced "
						"row-level security",
						get_rel_name(relation)),
				 errhint("Ask the owner for ALTER TABLE ... NO FORCE ROW LEVEL "
						 "SECURITY: policies for others are followed.")));
}

void
dp_scans_check_member(const DpPlanning *planning,
					  const DpProtection *protection)
{
	dp_populations_check_member(protection);
	refuse_forced_policies(protection->relation);
	if (planning->view_depth == 0 || planning->lenders == NIL ||
		list_member_oid(planning->lenders, protection->population_owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("a protected view cannot read \"%s\", which is in a "
					"population of another role",
					get_rel_name(protection->relation)),
			 errhint("Protect the view in that population: its owner grants "
					 "the budgets to ask about it.")));
}

static void
check_entry(Query *query, int rtindex)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	int location;

	if (rte->inh && rte->tablesample == NULL &&
		dp_protection_exists(rte->relid))
		return;
	location = dp_locations_of_entry(query, rtindex);
	if (!rte->inh)
		dp_refusal_raise("ONLY", "Leave it out.", location);
	if (rte->tablesample != NULL)
		dp_refusal_raise("TABLESAMPLE", "Leave it out.",
						 exprLocation((Node *) rte->tablesample->args));
	dp_refusal_raise("a policy that reads a protected relation",
					 "Ask the owner for a policy that does not.", location);
}

/*
 * Refuses a unit that is no column of the relation any longer, or is computed when
 * it is read.
 */
static void
check_unit(const DpProtection *protection)
{
	if (protection->unit < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy unit of \"%s\" is a column that is no "
						"longer there",
						get_rel_name(protection->relation)),
				 errhint("Ask the owner to protect it again, with the column's "
						 "present name.")));
	if (dp_compat_is_virtual(protection->relation, protection->unit))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a virtual generated column cannot be the "
							   "privacy unit"),
						errhint("Ask the owner for a stored column.")));
}

/* Adds the columns that say whose a row is. */
static List *
add_unit(List *columns, const DpProtection *protection)
{
	Oid relation = protection->relation;
	char kind = get_rel_relkind(relation);

	if (protection->unit == DP_UNIT_BY_PATH)
		return list_concat_unique_int(columns, protection->path_columns);
	check_unit(protection);
	if (protection->unit > 0)
		return list_append_unique_int(columns, protection->unit);
	if (kind == RELKIND_FOREIGN_TABLE || dp_citus_distributes(relation))
		return columns;
	if (kind != RELKIND_RELATION || has_subclass(relation))
		columns = lappend_int(columns, TableOidAttributeNumber);
	return lappend_int(columns, SelfItemPointerAttributeNumber);
}

/*
 * Paths
 */

static void
refuse_path(const DpProtection *protection, const char *why, const char *hint,
			int location)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("the path from \"%s\" to its privacy units %s",
						   get_rel_name(protection->relation), why),
					errhint("%s", hint), dp_refusal_position(location)));
}

static void
check_columns(Oid relation, List *columns, int location)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		if (dp_compat_is_virtual(relation, (AttrNumber) lfirst_int(cell)))
			dp_refusal_raise(
				"a path to a privacy unit over a virtual generated "
				"column",
				"Ask the owner for a stored column.", location);
	}
}

/* Checks a step, and returns the relation to which it leads. */
static const DpProtection *
check_step(DpScope *scope, const DpProtection *from, int location)
{
	const DpProtection *next;

	if (!OidIsValid(from->path_relation) || from->path_columns == NIL ||
		from->path_keys == NIL)
		refuse_path(from, "leads over what is no longer there",
					"Ask the owner to protect it again.", location);
	next = dp_protection_of(from->path_relation);
	if (!next->is_protected)
		refuse_path(from, "leads to a relation that is not protected",
					"Ask the owner to protect that, too.", location);
	if (next->population != from->population)
		refuse_path(from, "leads to a relation of another population",
					"Ask the owner to protect it again.", location);
	if (dp_owner_of(from->relation) != dp_owner_of(next->relation))
		refuse_path(from, "leads to a relation of another owner",
					"Ask the owner to protect it by a column of its own.",
					location);
	if (++scope->steps > DP_PATH_STEPS_MAX)
		refuse_path(from, "has no end",
					"Ask the owner to protect one of the relations by a "
					"column.",
					location);
	if (!dp_unique_keys_has(next->relation, from->path_keys))
		refuse_path(
			from, "leads to a key that is not unique",
			"Ask the owner for a unique index of exactly these columns, "
			"and for a table without inheriting tables.",
			location);
	check_columns(from->relation, from->path_columns, location);
	check_columns(next->relation, from->path_keys, location);
	return next;
}

static void
check_path(DpScope *scope, const DpProtection *protection, int location)
{
	while (protection->unit == DP_UNIT_BY_PATH)
	{
		protection = check_step(scope, protection, location);
		location = dp_locations_of_query(scope->query);
	}
}

/*
 * Scans
 */

static DpScan *
make_scan(DpPlanning *planning, Oid relation, List *columns, int location)
{
	AttrNumber *attributes = palloc(list_length(columns) * sizeof(AttrNumber));
	DpScan *scan;
	ListCell *cell;

	foreach (cell, columns)
		attributes[foreach_current_index(cell)] = (AttrNumber) lfirst_int(cell);
	scan = dp_node_scan(relation, attributes, list_length(columns), location);
	scan->view_depth = planning->view_depth;
	return scan;
}

/*
 * What refers along a path to the value of the unit itself is followed at once:
 * where nothing has that value, it names nobody.
 */
static const DpNode *
follow_to_value(DpPlanning *planning, const DpScan *scan,
				const AttrNumber **attributes)
{
	const DpNode *rows = dp_scans_follow(planning, &scan->node);
	AttrNumber *numbers = palloc0(rows->ncolumns * sizeof(AttrNumber));

	memcpy(numbers, scan->attributes, scan->node.ncolumns * sizeof(AttrNumber));
	*attributes = numbers;
	return rows;
}

const DpNode *
dp_scans_read(DpScope *scope, int rtindex, const AttrNumber **attributes)
{
	Oid relation = rt_fetch(rtindex, scope->query->rtable)->relid;
	int location = dp_locations_of_entry(scope->query, rtindex);
	const DpProtection *protection;
	List *columns = NIL;
	DpScan *scan;
	int column = -1;

	check_entry(scope->query, rtindex);
	protection = dp_protection_of(relation);
	dp_scans_check_member(scope->planning, protection);
	check_path(scope, protection, location);
	while ((column = bms_next_member(scope->used[rtindex - 1], column)) > 0)
		columns = lappend_int(columns, column);
	scan = make_scan(scope->planning, relation, add_unit(columns, protection),
					 location);
	*attributes = scan->attributes;
	(void) dp_facts_add(&scan->node);
	return dp_scan_names_refer_to_unit(relation)
			   ? follow_to_value(scope->planning, scan, attributes)
			   : &scan->node;
}

/*
 * Following paths
 *
 * Rows along a path know their unit by a key: an order's number names the
 * customer. Where the unit's value is needed, what the key belongs to is joined,
 * one step of the path after the other. It is its owner's look-up, as that of a
 * foreign key: policies of row-level security say nothing about it. Rows that
 * refer to nothing belong to nobody, and are left out by that.
 */

/*
 * How many steps lead from a relation to one with a unit of its own: reading the
 * relation has checked that there are no more.
 */
static int
steps_from(Oid relation)
{
	const DpProtection *protection = dp_protection_of(relation);
	int steps = 0;

	while (protection->unit == DP_UNIT_BY_PATH && steps <= DP_PATH_STEPS_MAX)
	{
		protection = dp_protection_of(protection->path_relation);
		steps++;
	}
	return steps;
}

/*
 * Whether one key is to be followed rather than another: no relation on the way
 * is left out, since a row that refers to nothing there is nobody's; and few steps
 * are left.
 */
static bool
is_nearer(const DpUnitName *one, const DpUnitName *other)
{
	if ((one->steps > 1) != (other->steps > 1))
		return one->steps <= 1;
	return steps_from(one->relation) < steps_from(other->relation);
}

/* The name by a key that is to be followed; NULL: there is none. */
static const DpUnitName *
nearest(const DpOwner *owner)
{
	const DpUnitName *found = NULL;

	foreach_ptr (const DpUnitName, name, owner->names)
	{
		if (name->key != NIL && name->depth == 0 &&
			(!name->is_open || name->is_loose) &&
			(found == NULL || is_nearer(name, found)))
			found = name;
	}
	return found;
}

/* The columns of a relation that the rest of its path needs. */
static DpScan *
scan_of(DpPlanning *planning, Oid relation, List *key, int location)
{
	const DpProtection *protection = dp_protection_of(relation);
	DpScan *scan;

	dp_scans_check_member(planning, protection);
	dp_read_shapes_take_relation(planning, relation);
	scan = make_scan(planning, relation, add_unit(list_copy(key), protection),
					 location);
	scan->is_followed = true;
	return scan;
}

/* own = key, by the equality of the key's type. */
static const DpExpr *
equality(const DpNode *rows, int own, const DpScan *scan, int key)
{
	const DpColumn *its = &scan->node.columns[key];
	const DpExpr *result = dp_equated_columns(
		dp_node_column(rows, own),
		dp_expr_column((DpColumnName){0, rows->ncolumns + key}, its->type, -1));

	if (result == NULL)
		dp_refusal_raise(
			"a path to a privacy unit over columns of such types",
			"Ask the owner for columns of numbers, texts, dates or "
			"uuids.",
			rows->location);
	if (dp_is_nondeterministic(its->type.collation))
		dp_refusal_raise("a path to a privacy unit over a nondeterministic "
						 "collation",
						 "Ask the owner for a column of another collation.",
						 rows->location);
	return result;
}

const DpNode *
dp_scans_follow(DpPlanning *planning, const DpNode *rows)
{
	const DpOwner *owner = &rows->facts->owner;
	const DpUnitName *name = nearest(owner);
	List *conditions = NIL;
	DpScan *scan;
	ListCell *column;
	ListCell *key;

	dp_stack_enter();
	if (!owner->is_owned || dp_owner_value_name(owner) != NULL || name == NULL)
		return rows;
	scan = scan_of(planning, name->relation, name->key, rows->location);
	forboth (column, name->columns, key, name->key)
		conditions = lappend(
			conditions, (void *) equality(rows, lfirst_int(column), scan,
										  dp_node_place(scan->attributes,
														scan->node.ncolumns,
														lfirst_int(key))));
	rows = dp_joins_add(rows, dp_facts_add(&scan->node), conditions);
	if (dp_protection_of(scan->relation)->unit != DP_UNIT_BY_PATH &&
		dp_owner_value_name(&rows->facts->owner) == NULL)
		elog(ERROR, "a path that leads to no unit");
	return dp_scans_follow(planning, rows);
}
