/*
 * compare_bytes.c
 *		Texts compared byte by byte.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "nodes/nodeFuncs.h"

#include "gate/question/expressions/calls.h"
#include "gate/question/expressions/compare_bytes.h"

static bool
compare_bytes_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;

	/* Whatever way it has come here: it could fail for a row. */
	if (dp_gate_can_be_null(node))
		elog(ERROR, "%s is not wrapped", dp_gate_call_words(node));
	switch (nodeTag(node))
	{
		case T_Query:
			return query_tree_walker((Query *) node, compare_bytes_walker,
									 context, 0);
		case T_WindowFunc:
			if (OidIsValid(((WindowFunc *) node)->inputcollid))
				((WindowFunc *) node)->inputcollid = C_COLLATION_OID;
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			if (OidIsValid(((OpExpr *) node)->inputcollid))
				((OpExpr *) node)->inputcollid = C_COLLATION_OID;
			break;
		case T_ScalarArrayOpExpr:
			if (OidIsValid(((ScalarArrayOpExpr *) node)->inputcollid))
				((ScalarArrayOpExpr *) node)->inputcollid = C_COLLATION_OID;
			break;
		case T_FuncExpr: /* the database's has its letters, and stays */
			if (OidIsValid(((FuncExpr *) node)->inputcollid) &&
				((FuncExpr *) node)->inputcollid != DEFAULT_COLLATION_OID)
				((FuncExpr *) node)->inputcollid = C_COLLATION_OID;
			break;
		case T_MinMaxExpr:
			if (OidIsValid(((MinMaxExpr *) node)->inputcollid))
				((MinMaxExpr *) node)->inputcollid = C_COLLATION_OID;
			break;
		case T_Aggref:
			if (OidIsValid(((Aggref *) node)->inputcollid))
				((Aggref *) node)->inputcollid = C_COLLATION_OID;
			break;
		default:
			break;
	}
	return expression_tree_walker(node, compare_bytes_walker, context);
}

void
dp_gate_compare_bytes_of(Node *expression)
{
	(void) compare_bytes_walker(expression, NULL);
}

void
dp_gate_compare_bytes(Query *inner)
{
	(void) compare_bytes_walker((Node *) inner, NULL);
}
