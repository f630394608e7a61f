/*
 * reference.c
 *		Finds foreign keys and writes the query for their values.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_node.h"
#include "parser/parse_oper.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "gate/question/relations/protection.h"
#include "gate/question/relations/reference.h"
#include "server/compat.h"
#include "server/ownership.h"

/* True when values of one type are values of the other, bit by bit. */
static bool
is_same_type(Oid type, Oid other)
{
	type = getBaseType(type);
	other = getBaseType(other);
	if (type == VARCHAROID)
		type = TEXTOID;
	if (other == VARCHAROID)
		other = TEXTOID;
	return type == other;
}

static bool
may_read(Oid relation, AttrNumber column)
{
	return pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) ==
			   ACLCHECK_OK ||
		   pg_attribute_aclcheck(relation, column, GetUserId(), ACL_SELECT) ==
			   ACLCHECK_OK;
}

/* False while rows may be outside of what a foreign key allows. */
static bool
is_validated(Oid constraint)
{
	HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(constraint));
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = ((Form_pg_constraint) GETSTRUCT(tuple))->convalidated;
	ReleaseSysCache(tuple);
	return result;
}

/* SELECT column FROM relation ORDER BY column */
static Query *
column_query(Oid relation, AttrNumber column)
{
	ParseState *state = make_parsestate(NULL);
	Relation rel = table_open(relation, AccessShareLock);
	ParseNamespaceItem *item = addRangeTableEntryForRelation(
		state, rel, AccessShareLock, NULL, true, true);
	Query *query = makeNode(Query);
	Node *var = scanNSItemForColumn(state, item, 0,
									get_attname(relation, column, false), -1);
	TargetEntry *entry = makeTargetEntry((Expr *) var, 1, "k", false);
	SortGroupClause *order = makeNode(SortGroupClause);
	RangeTblRef *ref = makeNode(RangeTblRef);

	table_close(rel, NoLock);
	entry->ressortgroupref = order->tleSortGroupRef = 1;
	get_sort_group_operators(exprType(var), true, true, false, &order->sortop,
							 &order->eqop, NULL, &order->hashable);
	ref->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->rtable = state->p_rtable;
	dp_compat_take_permissions(query, state);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	query->targetList = list_make1(entry);
	query->sortClause = list_make1(order);
	free_parsestate(state);
	return linitial_node(Query, QueryRewrite(query));
}

Query *
dp_gate_reference_query(Oid relation, AttrNumber column, Oid *referred,
						Oid *reader)
{
	Relation rel = table_open(relation, NoLock);
	List *keys = copyObject(RelationGetFKeyList(rel));
	ListCell *cell;

	table_close(rel, NoLock);
	foreach (cell, keys)
	{
		ForeignKeyCacheInfo *key = lfirst_node(ForeignKeyCacheInfo, cell);
		Oid other = key->confrelid;

		if (key->nkeys != 1 || key->conkey[0] != column ||
			!is_validated(key->conoid) || dp_gate_is_protected(other) ||
			!may_read(other, key->confkey[0]) ||
			!is_same_type(get_atttype(relation, column),
						  get_atttype(other, key->confkey[0])))
			continue;
		*referred = other;
		*reader = dp_owner_of(other);
		return column_query(other, key->confkey[0]);
	}
	return NULL;
}
