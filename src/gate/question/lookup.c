/*
 * lookup.c
 *		Columns of joined tables, as expressions over the protected relation.
 *
 * The node is a RowExpr of the joined relation's type, of a format that the
 * parser gives to no RowExpr: the number of the column, then the key, behind a
 * node that keeps a row of constants from being evaluated. In the place of
 * column names, which nothing reads here, it keeps the column itself.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "gate/question/lookup.h"

Node *
dp_gate_lookup_make(Var *column, Oid relation, List *keys, bool is_outer)
{
	RowExpr *row = makeNode(RowExpr);
	SetToDefault *mark = makeNode(SetToDefault);
	RelabelType *result;

	mark->typeId = INT2OID;
	mark->typeMod = -1;
	mark->location = -1;
	row->args = list_make2(
		mark, makeConst(INT2OID, -1, InvalidOid, sizeof(int16),
						Int16GetDatum(column->varattno), false, true));
	row->args = list_concat(row->args, copyObject(keys));
	row->row_typeid = get_rel_type_id(relation);
	row->row_format = COERCE_SQL_SYNTAX;
	row->colnames = list_make2(copyObject(column), makeInteger(is_outer));
	row->location = column->location;
	result = makeRelabelType((Expr *) row, column->vartype, column->vartypmod,
							 column->varcollid, COERCE_IMPLICIT_CAST);
	result->location = column->location;
	return (Node *) result;
}

static bool
is_lookup(Node *node)
{
	return node != NULL && IsA(node, RowExpr) &&
		   ((RowExpr *) node)->row_format == COERCE_SQL_SYNTAX;
}

Var *
dp_gate_lookup_column(Node *node)
{
	if (!is_lookup(node))
		return NULL;
	return linitial_node(Var, ((RowExpr *) node)->colnames);
}

List *
dp_gate_lookup_key(Node *node)
{
	return list_copy_tail(((RowExpr *) node)->args, 1);
}

bool
dp_gate_lookup_is_outer(Node *node)
{
	return intVal(lsecond(((RowExpr *) node)->colnames)) != 0;
}

static Node *
restore_column(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (is_lookup(node))
		return (Node *) copyObject(dp_gate_lookup_column(node));
	if (IsA(node, RelabelType) &&
		is_lookup((Node *) ((RelabelType *) node)->arg))
	{
		RelabelType *result = (RelabelType *) copyObject(node);
		Var *column = dp_gate_lookup_column((Node *) result->arg);

		result->arg = (Expr *) column;
		if (result->resulttype == column->vartype &&
			result->resulttypmod == column->vartypmod &&
			result->resultcollid == column->varcollid)
			return (Node *) column;
		return (Node *) result;
	}
	return expression_tree_mutator(node, restore_column, context);
}

void
dp_gate_restore_columns(Query *query)
{
	query->targetList =
		(List *) restore_column((Node *) query->targetList, NULL);
	query->jointree->quals = restore_column(query->jointree->quals, NULL);
}
