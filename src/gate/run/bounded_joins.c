/*
 * bounded_joins.c
 *		Hash joins whose tables are of a bounded size, and no others.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/relations/publics.h"
#include "gate/run/bounded_joins.h"
#include "server/compat_planner.h"
#include "server/lists.h"

/* By what a join would hash its inner relation: columns of it, side by side. */
typedef struct HashKeys
{
	List *columns;	 /* integers; 0: something else */
	List *operators; /* that compare them, on the right side */
	List *collations;
} HashKeys;

/* The column of a relation that a condition compares; 0: none. */
static AttrNumber
column_of(const RelOptInfo *relation, const Node *operand)
{
	while (IsA(operand, RelabelType) || IsA(operand, PlaceHolderVar))
		operand =
			IsA(operand, RelabelType)
				? (const Node *) ((const RelabelType *) operand)->arg
				: (const Node *) ((const PlaceHolderVar *) operand)->phexpr;
	return IsA(operand, Var) &&
				   ((const Var *) operand)->varno == (int) relation->relid
			   ? ((const Var *) operand)->varattno
			   : 0;
}

/* As the server finds the conditions by which it hashes the inner relation. */
static HashKeys
find_keys(const RelOptInfo *joined, const RelOptInfo *outer,
		  const RelOptInfo *inner, JoinType type, List *conditions)
{
	HashKeys keys = {NIL, NIL, NIL};

	foreach_node (RestrictInfo, condition, conditions)
	{
		const OpExpr *op = (const OpExpr *) condition->clause;
		bool is_left = bms_is_subset(condition->left_relids, inner->relids) &&
					   bms_is_subset(condition->right_relids, outer->relids);

		if (!condition->can_join || !OidIsValid(condition->hashjoinoperator) ||
			(IS_OUTER_JOIN(type) &&
			 RINFO_IS_PUSHED_DOWN(condition, joined->relids)) ||
			!(is_left ||
			  (bms_is_subset(condition->left_relids, outer->relids) &&
			   bms_is_subset(condition->right_relids, inner->relids))))
			continue;
		keys.columns = lappend_int(
			keys.columns,
			column_of(inner, is_left ? linitial(op->args) : lsecond(op->args)));
		keys.operators = lappend_oid(
			keys.operators, is_left ? get_commutator(op->opno) : op->opno);
		keys.collations = lappend_oid(keys.collations, op->inputcollid);
	}
	return keys;
}

/*
 * Whether rows of a key are equal in a column, by the equality of an operator
 * family; or of an operator, where that is InvalidOid.
 */
static bool
has_column(const HashKeys *keys, int column, Oid family, Oid equality)
{
	ListCell *cell;
	ListCell *operator;

	forboth (cell, keys->columns, operator, keys->operators)
	{
		if (lfirst_int(cell) == column && column > 0 &&
			(OidIsValid(family)
				 ? op_in_opfamily(lfirst_oid(operator), family)
				 : equality_ops_are_compatible(lfirst_oid(operator), equality)))
			return true;
	}
	return false;
}

static bool
covers_index(const HashKeys *keys, const IndexOptInfo *index)
{
	int i;

	if (!index->unique || !index->immediate || index->indpred != NIL)
		return false;
	for (i = 0; i < index->nkeycolumns; i++)
	{
		if (!has_column(keys, index->indexkeys[i], index->opfamily[i],
						InvalidOid))
			return false;
	}
	return true;
}

/* Whether keys have all columns in which rows of IN are made different. */
static bool
covers_semijoin(const RelOptInfo *inner, const HashKeys *keys,
				const SpecialJoinInfo *join)
{
	ListCell *cell;
	ListCell *operator;

	forboth (cell, join->semi_rhs_exprs, operator, join->semi_operators)
	{
		if (!has_column(keys, column_of(inner, lfirst(cell)), InvalidOid,
						lfirst_oid(operator)))
			return false;
	}
	return true;
}

/* Whether no two rows of a relation agree in all keys. */
static bool
is_unique(const RelOptInfo *inner, RangeTblEntry *rte, const HashKeys *keys)
{
	ListCell *cell;

	foreach (cell, keys->collations)
	{
		if (OidIsValid(lfirst_oid(cell)) &&
			!get_collation_isdeterministic(lfirst_oid(cell)))
			return false;
	}
	if (rte->rtekind == RTE_SUBQUERY)
		return query_supports_distinctness(rte->subquery) &&
			   query_is_distinct_for(rte->subquery, keys->columns,
									 keys->operators);
	foreach (cell, inner->indexlist)
	{
		if (covers_index(keys, lfirst(cell)))
			return true;
	}
	return false;
}

static void
note(const RangeTblEntry *rte, const HashKeys *keys, bool with_nulls,
	 List **hashed)
{
	List *functions = NIL;
	ListCell *cell;

	foreach (cell, keys->operators)
	{
		Oid left;
		Oid right;

		if (!get_op_hash_functions(lfirst_oid(cell), &left, &right))
			elog(ERROR, "operator %u has no hash functions", lfirst_oid(cell));
		functions = lappend_oid(functions, right);
	}
	*hashed = list_append_unique(
		*hashed,
		list_make5(makeString(pstrdup(rte->enrname)), keys->columns, functions,
				   keys->collations, makeInteger(with_nulls)));
}

/* Whether a relation may be hashed by keys. A copy of public rows is noted. */
static bool
may_be_hashed(PlannerInfo *root, const RelOptInfo *inner, const HashKeys *keys,
			  JoinType type, const SpecialJoinInfo *join, List **hashed)
{
	RangeTblEntry *rte;

	if (inner->reloptkind != RELOPT_BASEREL || keys->columns == NIL)
		return false;
	rte = planner_rt_fetch(inner->relid, root);
	if (rte->rtekind == RTE_VALUES || rte->rtekind == RTE_RESULT)
		return true;
	if (rte->rtekind == RTE_NAMEDTUPLESTORE && dp_publics_is_name(rte->enrname))
	{
		if (list_member_int(keys->columns, 0))
			return false;
		note(rte, keys,
			 IS_OUTER_JOIN(type) && type != JOIN_LEFT && type != JOIN_ANTI,
			 hashed);
		return true;
	}
	return is_unique(inner, rte, keys) ||
		   (type == JOIN_UNIQUE_INNER && covers_semijoin(inner, keys, join));
}

void
dp_bounded_joins_propose(PlannerInfo *root, RelOptInfo *joined,
						 RelOptInfo *outer, RelOptInfo *inner, JoinType type,
						 JoinPathExtraData *extra, List **hashed)
{
	HashKeys keys;

	if (enable_hashjoin || joined->reloptkind != RELOPT_JOINREL ||
		dp_compat_searches_joins(root))
		return;
	keys = find_keys(joined, outer, inner, type, extra->restrictlist);
	if (!may_be_hashed(root, inner, &keys, type, extra->sjinfo, hashed))
		return;

	/* What comes of other ways to join is there already, and dropped. */
	/* After an error the setting is restored with all others. */
	dp_compat_allow_hash_joins(joined, true);
	add_paths_to_joinrel(root, joined, outer, inner, type, extra->sjinfo,
						 extra->restrictlist);
	dp_compat_allow_hash_joins(joined, false);
}
