/*
 * sources.c
 *		Where public values come from.
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
#include "parser/parse_relation.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "expressions/wrapped.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/sources.h"
#include "gate/relations/code_of_others.h"
#include "gate/relations/declared.h"
#include "gate/relations/protection.h"
#include "ledger/declared_values.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/ownership.h"
#include "server/queries.h"
#include "server/search.h"
#include "server/settings.h"

/* The column has got another type since its values were declared. */
pg_noreturn static void
refuse_declared(Oid relation, AttrNumber column)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("the values declared for column \"%s\" of relation \"%s\" "
				"do not fit its type",
				get_attname(relation, column, false), get_rel_name(relation)),
		 errhint("The owner must declare them again with "
				 "dp_noise.set_values(); null removes them.")));
}

bool
dp_sources_declared(Oid relation, AttrNumber column, DpType type, List **values)
{
	LOCAL_FCINFO(call, 3);
	int32 typmod = type.typmod;
	Oid base = getBaseTypeAndTypmod(type.oid, &typmod);
	FmgrInfo input;
	Oid function;
	Oid io_param;
	List *texts;
	ListCell *cell;
	int nest;

	*values = NIL;
	if (!dp_declared_values(relation, column, &texts))
		return false;
	if (!dp_values_can_be_declared(base))
		refuse_declared(relation, column);
	getTypeInputInfo(base, &function, &io_param);
	fmgr_info(function, &input);
	nest = dp_setting_plain_texts();
	foreach (cell, texts)
	{
		Datum value;

		InitFunctionCallInfoData(*call, &input, 3, InvalidOid, NULL, NULL);
		call->args[0] = (NullableDatum){CStringGetDatum(lfirst(cell)), false};
		call->args[1] = (NullableDatum){ObjectIdGetDatum(io_param), false};
		call->args[2] = (NullableDatum){Int32GetDatum(typmod), false};
		if (!dp_wrapped_call(call, &value))
			refuse_declared(relation, column);
		*values = lappend(*values, dp_arithmetic_constant(type.oid, -1, value));
	}
	AtEOXact_GUC(true, nest);
	return true;
}

/* SELECT unnest(enum_range(NULL::type)) */
Query *
dp_sources_of_enum(Oid type)
{
	Query *query = dp_query_make();
	Oid array = get_array_type(type);
	FuncExpr *range =
		makeFuncExpr(F_ENUM_RANGE_ANYENUM, array,
					 list_make1(makeNullConst(type, -1, InvalidOid)),
					 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	FuncExpr *unnest =
		makeFuncExpr(F_UNNEST_ANYARRAY, type, list_make1(range), InvalidOid,
					 InvalidOid, COERCE_EXPLICIT_CALL);

	unnest->funcretset = true;
	query->hasTargetSRFs = true;
	(void) dp_query_add_target(query, (Node *) unnest, "k");
	return query;
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
	Query *query = dp_query_make();
	Node *var = scanNSItemForColumn(state, item, 0,
									get_attname(relation, column, false), -1);

	table_close(rel, NoLock);
	query->rtable = state->p_rtable;
	dp_compat_take_permissions(query, state);
	query->jointree->fromlist = list_make1(dp_query_reference(1));
	query->sortClause =
		list_make1(dp_query_clause(dp_query_add_target(query, var, "k"), true));
	free_parsestate(state);
	return linitial_node(Query, QueryRewrite(query));
}

/* Finds what somebody else wrote, or what is about whoever evaluates it. */
static bool
is_of_reader(Node *node, void *context)
{
	(void) context;
	return IsA(node, SubLink) || IsA(node, SQLValueFunction) ||
		   dp_code_of_others(node) != DP_NO_CODE;
}

/* The same as whoever may read it; NULL: nobody can. */
static Query *
choose_reader(Query *query, Oid referred, Oid *reader)
{
	List *policies = linitial_node(RangeTblEntry, query->rtable)->securityQuals;

	*reader = dp_owner_of(referred);
	if (policies != NIL && *reader == GetUserId())
		*reader = InvalidOid; /* policies of their own */
	else if (dp_search_within((Node *) policies, is_of_reader, NULL))
		return NULL;
	return query;
}

Query *
dp_sources_of_reference(Oid relation, AttrNumber column, Oid *referred,
						Oid *reader)
{
	Relation rel = table_open(relation, NoLock);
	List *keys = copyObject(RelationGetFKeyList(rel));

	table_close(rel, NoLock);
	foreach_node (ForeignKeyCacheInfo, key, keys)
	{
		Oid other = key->confrelid;

		if (key->nkeys != 1 || key->conkey[0] != column ||
			!is_validated(key->conoid) || dp_protection_exists(other) ||
			!may_read(other, key->confkey[0]) ||
			!dp_arithmetic_is_same_type(get_atttype(relation, column),
										get_atttype(other, key->confkey[0])))
			continue;
		*referred = other;
		return choose_reader(column_query(other, key->confkey[0]), other,
							 reader);
	}
	return NULL;
}
