/*
 * inner_query.c
 *		The statements beneath a release.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "gate/question/expressions/calls.h"
#include "gate/question/inner_query.h"
#include "gate/question/keys/key.h"
#include "server/any_node.h"
#include "server/compat.h"

/*
 * The owners' rights, for protected relations alone, here and in sub-queries.
 * It runs as an owner: views that the block came from are the user's.
 */
static bool
lend_rights(Node *node, const DpRelations *relations)
{
	ListCell *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, lend_rights, (void *) relations);
	foreach (cell, ((Query *) node)->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);
		Relation relation;

		if (rte->securityQuals !=
			NIL) /* the functions they call were not checked */
			elog(ERROR, "a policy is left in the statement beneath a release");
		if (rte->rtekind != RTE_RELATION ||
			!list_member_oid(relations->oids, rte->relid))
			continue;
		relation = table_open(rte->relid, NoLock);
		dp_compat_check_as_user((Query *) node, rte,
								relation->rd_rel->relowner);
		table_close(relation, NoLock);
	}
	dp_compat_check_others_as_user((Query *) node, GetUserId());
	return query_tree_walker((Query *) node, lend_rights, (void *) relations,
							 0);
}

static TargetEntry *
add_column(Query *query, void *expression, const char *letter, int number)
{
	TargetEntry *entry =
		makeTargetEntry(expression, list_length(query->targetList) + 1,
						psprintf("%s%d", letter, number), false);

	query->targetList = lappend(query->targetList, entry);
	return entry;
}

/*
 * FROM and WHERE of a block; what works on released rows is left to it, and so
 * are queries of WITH that it kept: planned here, their functions would run as
 * an owner.
 */
static Query *
make_frame(Query *query, const DpBlock *block)
{
	Query *frame = copyObject(query);

	frame->queryId = UINT64CONST(0);
	frame->canSetTag = true;
	frame->cteList = NIL;
	frame->hasRecursive = false;
	frame->hasModifyingCTE = false;
	frame->targetList = NIL;
	frame->groupClause = NIL;
	frame->havingQual = NULL;
	frame->windowClause = NIL;
	frame->distinctClause = NIL;
	frame->sortClause = NIL;
	frame->limitCount = NULL;
	frame->limitOffset = NULL;
	frame->hasWindowFuncs = false;
	frame->hasTargetSRFs = false;
	frame->hasDistinctOn = false;
	(void) lend_rights((Node *) frame, &block->outline.relations);
	return frame;
}

static void
add_aggregates(Query *query, List *aggregates)
{
	ListCell *cell;
	int number = 0;

	foreach (cell, aggregates)
		(void) add_column(query, copyObject(lfirst(cell)), "a", ++number);
	query->hasAggs = aggregates != NIL;
}

/*
 * Groups are made by hashing alone: sorting an enum looks its values up and
 * can fail. Texts are grouped byte by byte, as every collation does that is
 * allowed, without asking a locale.
 */
static void
add_key(Query *query, Node *expression, int number)
{
	SortGroupClause *group = makeNode(SortGroupClause);
	TargetEntry *entry;

	if (OidIsValid(exprCollation(expression)))
		expression = (Node *) makeRelabelType(
			(Expr *) expression, exprType(expression), exprTypmod(expression),
			C_COLLATION_OID, COERCE_IMPLICIT_CAST);
	entry = add_column(query, expression, "k", number);
	entry->ressortgroupref = group->tleSortGroupRef = number;
	get_sort_group_operators(exprType(expression), false, false, false, NULL,
							 &group->eqop, NULL, &group->hashable);
	query->groupClause = lappend(query->groupClause, group);
}

Query *
dp_gate_inner_query(Query *query, const DpBlock *block, List *keys,
					List *aggregates)
{
	Query *inner = make_frame(query, block);
	ListCell *cell;
	int number = 0;

	foreach (cell, keys)
		add_key(inner, copyObject(((DpKey *) lfirst(cell))->expression),
				++number);
	add_aggregates(inner, aggregates);
	return dp_gate_wrap_calls(inner);
}

Query *
dp_gate_empty_query(Query *query, const DpBlock *block)
{
	Query *empty = make_frame(query, block);

	add_aggregates(empty, block->calls);
	empty->jointree->quals = makeBoolConst(false, false);
	return dp_gate_wrap_calls(empty);
}

void
dp_gate_count_units(Query *inner)
{
	Aggref *count = makeNode(Aggref);

	count->aggfnoid = F_COUNT_;
	count->aggtype = INT8OID;
	count->aggstar = true;
	count->aggkind = AGGKIND_NORMAL;
	count->aggsplit = AGGSPLIT_SIMPLE;
	count->aggno = -1;
	count->aggtransno = -1;
	count->location = -1;
	(void) add_column(inner, count, "u", 1);
	inner->hasAggs = true;
}

static bool
is_of_user(Oid function, void *context)
{
	Oid extension = *(Oid *) context;

	return function >= FirstNormalObjectId &&
		   (!OidIsValid(extension) ||
			getExtensionOfObject(ProcedureRelationId, function) != extension);
}

static bool
is_user_code(Node *node, void *extension)
{
	return IsA(node,
			   CoerceToDomain) || /* a domain's checks are a user's code */
		   check_functions_in_node(node, is_of_user, extension);
}

void
dp_gate_check_no_user_code(Query *query)
{
	Oid extension = get_extension_oid("dp_noise", true);

	if (dp_any_node((Node *) query, is_user_code, &extension))
		elog(ERROR, "a statement beneath a release calls a user's function");
}
