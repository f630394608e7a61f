/*
 * compat.h
 *		Differences between PostgreSQL 15 and 19, each behind one name.
 *
 * No other source depends on the server's version. Names and meanings are those
 * of the newest version, where it has them.
 */
#ifndef DP_SERVER_COMPAT_H
#define DP_SERVER_COMPAT_H

#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteManip.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

#include "server/lists.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#else
#define pg_noreturn _Noreturn
#endif
#if PG_VERSION_NUM < 190000
#define PG_SIG_IGN SIG_IGN
#endif

/* The next value of a finished sort, in memory of its own; false at the end. */
static inline bool
dp_compat_next_datum(Tuplesortstate *sort, Datum *value)
{
	bool isnull;

#if PG_VERSION_NUM >= 160000
	return tuplesort_getdatum(sort, true, true, value, &isnull, NULL);
#else
	return tuplesort_getdatum(sort, true, value, &isnull, NULL);
#endif
}

/* To be called when a row's columns have been described one by one. */
static inline void
dp_compat_finish_columns(TupleDesc columns)
{
#if PG_VERSION_NUM >= 190000
	TupleDescFinalize(columns);
#else
	(void) columns;
#endif
}

/* The server's settings; the array must not be changed. */
static inline struct config_generic **
dp_compat_settings(int *count)
{
#if PG_VERSION_NUM >= 160000
	return get_guc_variables(count);
#else
	*count = GetNumConfigOptions();
	return get_guc_variables();
#endif
}

/* What a setting of one type has besides what all have. */
#if PG_VERSION_NUM >= 190000
#define dp_compat_bool_setting(setting) (&(setting)->_bool)
#define dp_compat_int_setting(setting) (&(setting)->_int)
#define dp_compat_real_setting(setting) (&(setting)->_real)
#define dp_compat_string_setting(setting) (&(setting)->_string)
#define dp_compat_enum_setting(setting) (&(setting)->_enum)
#define dp_compat_enum_text(setting, value) \
	config_enum_lookup_by_value(setting, value)
#else
#define dp_compat_bool_setting(setting) ((const struct config_bool *) (setting))
#define dp_compat_int_setting(setting) ((const struct config_int *) (setting))
#define dp_compat_real_setting(setting) ((const struct config_real *) (setting))
#define dp_compat_string_setting(setting) \
	((const struct config_string *) (setting))
#define dp_compat_enum_setting(setting) ((const struct config_enum *) (setting))
#define dp_compat_enum_text(setting, value) \
	config_enum_lookup_by_value((struct config_enum *) (setting), value)
#endif

/* This process's number in the array of the server's processes. */
static inline int
dp_compat_proc_number(void)
{
#if PG_VERSION_NUM >= 170000
	return MyProcNumber;
#else
	return MyProc->pgprocno;
#endif
}

/* For updates of rows by a tuple's position, which check no row again. */
static inline void
dp_compat_init_updates(EPQState *epq, EState *estate)
{
#if PG_VERSION_NUM >= 160000
	EvalPlanQualInit(epq, estate, NULL, NIL, -1, NIL);
#else
	EvalPlanQualInit(epq, estate, NULL, NIL, -1);
#endif
}

/* A path has as many disabled nodes as the one beneath it; before 18, costs say so. */
static inline void
dp_compat_keep_disabled(Path *path, const Path *beneath)
{
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes = beneath->disabled_nodes;
#else
	(void) path;
	(void) beneath;
#endif
}

/* Runs a plan to its end, once. */
static inline void
dp_compat_execute(QueryDesc *query)
{
#if PG_VERSION_NUM >= 180000
	ExecutorRun(query, ForwardScanDirection, 0);
#else
	ExecutorRun(query, ForwardScanDirection, 0, true);
#endif
}

/* JSON_VALUE() and its like, which make values of the type that is returned. */
static inline bool
dp_compat_is_json_query(const Node *node)
{
#if PG_VERSION_NUM >= 170000
	return IsA(node, JsonExpr);
#else
	(void) node;
	return false;
#endif
}

/* What JSON_OBJECT() and its like make json of: by casts, of some types. */
static inline List *
dp_compat_json_arguments(const Node *node)
{
#if PG_VERSION_NUM >= 160000
	return IsA(node, JsonConstructorExpr) ? ((JsonConstructorExpr *) node)->args
										  : NIL;
#else
	(void) node;
	return NIL;
#endif
}

/* The columns of the first entry of a range table; null for dropped ones. */
static inline List *
dp_compat_columns(RangeTblEntry *rte)
{
	List *columns = NIL;

#if PG_VERSION_NUM >= 180000
	expandRTE(rte, 1, 0, VAR_RETURNING_DEFAULT, -1, true, NULL, &columns);
#else
	expandRTE(rte, 1, 0, -1, true, NULL, &columns);
#endif
	return columns;
}

/* Appends the range table of a query to that of another. */
static inline void
dp_compat_add_range_table(Query *query, Query *other)
{
#if PG_VERSION_NUM >= 160000
	CombineRangeTables(&query->rtable, &query->rteperminfos, other->rtable,
					   other->rteperminfos);
#else
	query->rtable = list_concat(query->rtable, other->rtable);
#endif
}

/* A column that replaces another is null where that one was. */
static inline void
dp_compat_add_nulling(Var *column, const Var *replaced)
{
#if PG_VERSION_NUM >= 160000
	column->varnullingrels =
		bms_add_members(column->varnullingrels, replaced->varnullingrels);
#else
	(void) column;
	(void) replaced;
#endif
}

/* A column above a left join on whose nullable side it is. */
static inline Node *
dp_compat_null_by_join(Node *column, int rtindex)
{
#if PG_VERSION_NUM >= 160000
	return add_nulling_relids(column, pull_varnos(NULL, column),
							  bms_make_singleton(rtindex));
#else
	(void) rtindex;
	return column;
#endif
}

/* Columns of joins in an expression become those of the joined relations. */
static inline Node *
dp_compat_flatten_joins(Query *query, Node *node)
{
#if PG_VERSION_NUM >= 160000
	return flatten_join_alias_vars(NULL, query, node);
#else
	return flatten_join_alias_vars(query, node);
#endif
}

/*
 * Replaces references of a query's targets to its GROUP BY by the expressions
 * grouped by. 18 makes these references through a range-table entry, which is
 * then unused.
 */
static inline void
dp_compat_flatten_groups(Query *query)
{
#if PG_VERSION_NUM >= 180000
	ListCell *cell;

	if (!query->hasGroupRTE)
		return;
	query->targetList =
		(List *) flatten_group_exprs(NULL, query, (Node *) query->targetList);
	query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
	foreach (cell, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind != RTE_GROUP)
			continue;
		rte->rtekind = RTE_RESULT;
		rte->groupexprs = NIL;
	}
	query->hasGroupRTE = false;
#else
	(void) query;
#endif
}

/* The family and the type of an operator that sorts; false for others. */
static inline bool
dp_compat_find_order(Oid comparison, Oid *family, Oid *type)
{
#if PG_VERSION_NUM >= 180000
	CompareType kind;
#else
	int16 kind;
#endif

	return get_ordering_op_properties(comparison, family, type, &kind);
}

/*
 * True for a column of which all rows are known to have a value. Of the rows of
 * inheriting tables none is: these may drop a parent's NOT NULL before 18, and
 * need not have one that is NO INHERIT.
 */
static inline bool
dp_compat_is_never_null(Relation relation, AttrNumber column)
{
	TupleDesc columns = RelationGetDescr(relation);

	if (column <= 0 || column > columns->natts ||
		(relation->rd_rel->relhassubclass &&
		 relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE))
		return false;
#if PG_VERSION_NUM >= 180000
	return TupleDescCompactAttr(columns, column - 1)->attnullability ==
		   ATTNULLABLE_VALID;
#else
	return TupleDescAttr(columns, column - 1)->attnotnull;
#endif
}

/* Makes the planner take no column of a relation for one without nulls. */
static inline void
dp_compat_trust_no_not_null(RelOptInfo *relation)
{
#if PG_VERSION_NUM >= 170000
	relation->notnullattnums = NULL;
#else
	(void) relation;
#endif
}

/* True for a column that is computed whenever it is read. */
static inline bool
dp_compat_is_virtual(Oid relation, AttrNumber column)
{
#if PG_VERSION_NUM >= 180000
	return column > 0 &&
		   get_attgenerated(relation, column) == ATTRIBUTE_GENERATED_VIRTUAL;
#else
	(void) relation;
	(void) column;
	return false;
#endif
}

#endif
