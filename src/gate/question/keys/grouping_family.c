/*
 * grouping_family.c
 *		Blocks that are groupings of one query.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"

#include "gate/question/expressions/folding.h"
#include "gate/question/keys/grouping_family.h"
#include "gate/question/keys/key.h"
#include "gate/question/keys/key_condition.h"

/*
 * Names the entries in a target list. Users cannot have such an entry: theirs
 * are not junk.
 */
#define MARK "dp_noise grouping"

/*
 * Families only need different numbers within one statement, so this is never
 * reset.
 */
static int last_family = 0;

int
dp_gate_next_family(void)
{
	last_family = last_family == PG_INT32_MAX ? 1 : last_family + 1;
	return last_family;
}

static void
add_entry(Query *block, Node *expression)
{
	block->targetList = lappend(
		block->targetList,
		makeTargetEntry((Expr *) expression,
						(AttrNumber) (list_length(block->targetList) + 1),
						pstrdup(MARK), true));
}

void
dp_gate_add_family(Query *block, int family, List *keys)
{
	ListCell *cell;

	add_entry(block, (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
										Int32GetDatum(family), false, true));
	foreach (cell, keys)
		add_entry(block, copyObject(lfirst(cell)));
}

bool
dp_gate_is_of_family(const TargetEntry *entry)
{
	return entry->resjunk && entry->resname != NULL &&
		   strcmp(entry->resname, MARK) == 0;
}

int
dp_gate_take_family(Query *query, List **keys)
{
	List *targets = NIL;
	int family = 0;
	ListCell *cell;

	*keys = NIL;
	foreach (cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!dp_gate_is_of_family(entry))
			targets = lappend(targets, entry);
		else if (family == 0)
			family = DatumGetInt32(
				castNode(Const, (Node *) entry->expr)->constvalue);
		else
			*keys = lappend(*keys, entry->expr);
	}
	query->targetList = targets;
	return family;
}

List *
dp_gate_family_keys(const Query *query)
{
	List *keys = NIL;
	bool is_first = true;
	ListCell *cell;

	foreach (cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!dp_gate_is_of_family(entry))
			continue;
		if (!is_first)
			keys = lappend(keys, entry->expr);
		is_first = false;
	}
	return keys;
}

static bool
is_constant(const Node *node)
{
	return IsA(node, Const) ||
		   (IsA(node, Param) &&
			((const Param *) node)->paramkind == PARAM_EXTERN);
}

static bool
is_own(const Node *expression, List *own)
{
	ListCell *cell;

	foreach (cell, own)
	{
		if (equal(expression, ((DpKey *) lfirst(cell))->expression))
			return true;
	}
	return false;
}

/*
 * The condition that a key has one of its values; NULL where it is not known.
 */
static Node *
condition_of(const DpKey *key)
{
	Node *column = key->expression;
	SortGroupClause *clause = makeNode(SortGroupClause);
	uint64 values;

	if (OidIsValid(exprCollation(column)))
		column = (Node *) makeRelabelType(
			(Expr *) copyObject(column), exprType(column), exprTypmod(column),
			C_COLLATION_OID, COERCE_IMPLICIT_CAST);
	get_sort_group_operators(exprType(column), false, false, false, NULL,
							 &clause->eqop, NULL, &clause->hashable);
	if (!OidIsValid(clause->eqop))
		return NULL;
	return dp_gate_key_condition(key, column, clause, &values);
}

bool
dp_gate_keep_to_domains(Query *query, const DpRelations *relations,
						List *written, List *own, List **others)
{
	List *conditions = NIL;
	ListCell *cell;

	*others = NIL;

	foreach (cell, written)
	{
		Node *folded = dp_gate_fold(copyObject(lfirst(cell)), "GROUP BY");
		DpKey *key;
		Node *condition;

		if (is_constant(folded))
			continue;
		key = dp_gate_key_make(folded, relations);
		if (!key->is_public)
			return false;
		if (is_own(folded, own) || is_own(folded, *others))
			continue;
		*others = lappend(*others, key);
		if (!key->is_open)
			continue;
		condition = condition_of(key);
		if (condition == NULL)
			return false;
		conditions = lappend(conditions, condition);
	}
	foreach (cell, conditions)
		query->jointree->quals =
			make_and_qual(query->jointree->quals, lfirst(cell));
	return true;
}
