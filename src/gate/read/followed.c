/*
 * followed.c
 *		Follows paths to privacy units.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/facts/facts.h"
#include "gate/tree/functions.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/followed.h"
#include "gate/read/joins.h"
#include "gate/read/premises.h"
#include "gate/read/scans.h"
#include "server/compat.h"
#include "server/stack.h"

/* Steps of a path; reading a relation has checked that there are no more. */
#define MOST_STEPS 100

/* How many steps lead from a relation to one with a unit of its own. */
static int
steps_from(Oid relation)
{
	const DpProtection *protection = dp_gate_protection(relation);
	int steps = 0;

	while (protection->unit == DP_UNIT_BY_PATH && steps <= MOST_STEPS)
	{
		protection = dp_gate_protection(protection->path_relation);
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
	ListCell *cell;

	foreach (cell, owner->names)
	{
		const DpUnitName *name = lfirst(cell);

		if (name->key != NIL && name->depth == 0 && !name->is_open &&
			(found == NULL || is_nearer(name, found)))
			found = name;
	}
	return found;
}

/* The columns of a relation that the rest of its path needs. */
static DpScan *
scan_of(DpPlanning *planning, Oid relation, List *key, int location)
{
	const DpProtection *protection = dp_gate_protection(relation);
	List *columns;
	AttrNumber *attributes;
	DpScan *scan;
	ListCell *cell;

	dp_scans_check_member(planning, protection);
	dp_premises_take_relation(planning, relation);
	columns = dp_scans_add_unit(list_copy(key), protection);
	attributes = palloc(list_length(columns) * sizeof(AttrNumber));
	foreach (cell, columns)
		attributes[foreach_current_index(cell)] = (AttrNumber) lfirst_int(cell);
	scan = dp_node_scan(relation, attributes, list_length(columns), location);
	scan->is_followed = true;
	scan->view_depth = planning->view_depth;
	return scan;
}

/*
 * Whether values of two types are, bit by bit, what an operator class
 * compares.
 */
static bool
are_of_input(Oid left, Oid right, Oid input)
{
	return left == right ||
		   (!IsPolymorphicType(input) && IsBinaryCoercible(left, input) &&
			IsBinaryCoercible(right, input));
}

/* own = key, by the equality of the key's type. */
static const DpExpr *
equality(const DpNode *rows, int own, const DpScan *scan, int key)
{
	const DpColumn *mine = &rows->columns[own];
	const DpColumn *its = &scan->node.columns[key];
	Oid left = getBaseType(mine->type.oid);
	Oid right = getBaseType(its->type.oid);
	const TypeCacheEntry *type =
		lookup_type_cache(right, TYPECACHE_BTREE_OPFAMILY);
	Oid operator= OidIsValid(type->btree_opf)
		? get_opfamily_member(type->btree_opf, left, right,
							  BTEqualStrategyNumber)
		: InvalidOid;
	const DpExpr **args = palloc(2 * sizeof(DpExpr *));
	DpExpr *result;

	if (!OidIsValid(operator) && OidIsValid(type->btree_opf) &&
		are_of_input(left, right, type->btree_opintype))
		operator=
			get_opfamily_member(type->btree_opf, type->btree_opintype,
								type->btree_opintype, BTEqualStrategyNumber);
	if (!OidIsValid(operator) || operator>=
		FirstNormalObjectId || !dp_functions_is_total(get_opcode(operator)))
		dp_gate_refuse("a path to a privacy unit over columns of such types",
					   "Ask the owner for columns of numbers, texts, dates or "
					   "uuids.",
					   rows->location);
	args[0] = dp_expr_column((DpColumnName){0, own}, mine->type, -1);
	args[1] =
		dp_expr_column((DpColumnName){0, rows->ncolumns + key}, its->type, -1);
	result = dp_expr_make(DP_EXPR_CALL, (DpType){BOOLOID, -1, InvalidOid}, 2,
						  args, -1);
	result->input_collation = its->type.collation;
	result->call.function = get_opcode(operator);
	result->call.operator= operator;
	return result;
}

/* The index of a column among those of a scan. */
static int
column_of(const DpScan *scan, AttrNumber attribute)
{
	int column = 0;

	while (scan->attributes[column] != attribute)
		column++;
	return column;
}

const DpNode *
dp_followed_to_units(DpPlanning *planning, const DpNode *rows)
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
			conditions,
			(void *) equality(rows, lfirst_int(column), scan,
							  column_of(scan, (AttrNumber) lfirst_int(key))));
	rows = dp_joins_add(rows, dp_facts_add(&scan->node), conditions);
	if (dp_gate_protection(scan->relation)->unit != DP_UNIT_BY_PATH &&
		dp_owner_value_name(&rows->facts->owner) == NULL)
		elog(ERROR, "a path that leads to no unit");
	return dp_followed_to_units(planning, rows);
}
