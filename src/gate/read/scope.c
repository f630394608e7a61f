/*
 * scope.c
 *		What the names in a query stand for while it is read.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "gate/read/scope.h"
#include "gate/relations/refusal.h"
#include "server/compat.h"

/*
 * Which columns of its FROM a query names, in sub-queries of its expressions, too.
 * Joins list all of their columns, named or not, so that these must have been
 * replaced before.
 */
static void
find_used(DpScope *scope)
{
	Query *query = scope->query;
	List *parts =
		list_make3(query->targetList, query->havingQual, query->jointree);

	foreach_ptr (RangeTblEntry, rte, query->rtable)
		parts = lappend(parts, rte->securityQuals);
	foreach_node (Var, column, pull_vars_of_level((Node *) parts, 0))
	{
		Bitmapset **used = &scope->used[column->varno - 1];

		if (column->varattno > 0)
			*used = bms_add_member(*used, column->varattno);
	}
}

void
dp_scope_open(DpScope *scope)
{
	int entries = list_length(scope->query->rtable);

	scope->used = palloc0(entries * sizeof(Bitmapset *));
	scope->columns = palloc0(entries * sizeof(const DpExpr **));
	find_used(scope);
}

const AttrNumber *
dp_scope_first_columns(const DpNode *node, int count)
{
	AttrNumber *attributes = palloc0((node->ncolumns + 1) * sizeof(AttrNumber));
	int i;

	for (i = 0; i < count; i++)
		attributes[i] = (AttrNumber) (i + 1);
	return attributes;
}

void
dp_scope_set_columns(DpScope *scope, int rtindex, const DpNode *node,
					 const AttrNumber *attributes, int offset)
{
	const DpExpr **columns;
	AttrNumber most = 0;
	int i;

	for (i = 0; i < node->ncolumns; i++)
		most = Max(most, attributes[i]);
	columns = palloc0(most * sizeof(const DpExpr *));
	for (i = 0; i < node->ncolumns; i++)
	{
		DpColumnName name = {0, offset + i};

		if (attributes[i] > 0)
			columns[attributes[i] - 1] =
				dp_expr_column(name, node->columns[i].type, -1);
	}
	scope->columns[rtindex - 1] = columns;
}

void
dp_scope_shift(DpScope *scope, int rtindex, int columns)
{
	int column = -1;

	while ((column = bms_next_member(scope->used[rtindex - 1], column)) > 0)
	{
		const DpExpr **expr = &scope->columns[rtindex - 1][column - 1];

		*expr = dp_expr_shift(*expr, columns);
	}
}

static void
check_column(const DpScope *scope, const Var *var)
{
	const RangeTblEntry *rte = rt_fetch(var->varno, scope->query->rtable);

	if (var->varattno <= 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("system columns and whole rows of a "
							   "protected relation cannot be used"),
						errhint("Name the columns one by one."),
						dp_refusal_position(var->location)));
	if (rte->rtekind == RTE_RELATION &&
		dp_compat_is_virtual(rte->relid, var->varattno))
		dp_refusal_raise("a virtual generated column",
						 "Its owner can make it STORED.", var->location);
}

pg_noreturn static void
refuse_outer(const DpScope *scope, const Var *var)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s over a protected relation cannot refer to an outer "
					"query",
					scope->what),
			 errhint("Join what it refers to and group by that, as in SELECT "
					 "s.name, count(v.id) FROM s LEFT JOIN v ON v.s = s.id "
					 "GROUP BY s.id; or write a constant or a parameter."),
			 dp_refusal_position(var->location)));
}

const DpExpr *
dp_scope_column(const DpScope *scope, const Var *var)
{
	const DpScope *of = scope;
	const DpExpr *column;
	DpColumnName name = {0, 0};
	Index level;

	for (level = 0; level < var->varlevelsup; level++)
	{
		if (!of->is_in_from)
			name.depth++;
		if (of->around == NULL)
			refuse_outer(scope, var);
		of = of->around;
	}
	check_column(of, var);
	if (of->columns[var->varno - 1] == NULL)
		elog(ERROR, "a column of an entry that has not been read");
	column = of->columns[var->varno - 1][var->varattno - 1];
	name.number = column->column.number;
	return dp_expr_column(name, column->type, var->location);
}
