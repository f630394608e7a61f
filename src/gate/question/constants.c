/*
 * constants.c
 *		Sub-queries as values that are found before a question is asked.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "gate/question/constants.h"
#include "gate/question/publics.h"

/* The number of the next parameter that stands for one. */
static int next = 1;

static bool
most_walker(Node *node, int *most)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
	{
		*most = Max(*most, ((Param *) node)->paramid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, most_walker, most, 0);
	return expression_tree_walker(node, most_walker, most);
}

int
dp_gate_begin_constants(Query *statement, ParamListInfo params)
{
	int before = next;
	int most = params == NULL ? 0 : params->numParams;

	(void) most_walker((Node *) statement, &most);
	next = most + 1;
	return before;
}

void
dp_gate_end_constants(int before)
{
	next = before;
}

/* A public aggregate over all rows is left to copies, where it has one row. */
bool
dp_gate_is_constant(const SubLink *link)
{
	Query *query = castNode(Query, link->subselect);

	return link->subLinkType == EXPR_SUBLINK &&
		   (dp_gate_reads_release(query) || !dp_gate_has_one_row(query)) &&
		   !dp_gate_reads_protected(query) && !dp_gate_refers_outward(query);
}

Param *
dp_gate_take_constant(const SubLink *link, DpSubjects *subjects)
{
	Param *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = next++;
	param->paramtype = exprType((const Node *) link);
	param->paramtypmod = exprTypmod((const Node *) link);
	param->paramcollid = exprCollation((const Node *) link);
	param->location = link->location;
	subjects->constants =
		lappend(subjects->constants, copyObject(link->subselect));
	subjects->constant_numbers =
		lappend_int(subjects->constant_numbers, param->paramid);
	return param;
}
