/*
 * compat_planner.h
 *		Differences between versions of PostgreSQL in how statements are planned.
 *
 * The rest is in compat.h. From 19 on a planner also gets what EXPLAIN knows of the
 * statement, and a relation's hook is called for what is no table, too.
 */
#ifndef DP_SERVER_COMPAT_PLANNER_H
#define DP_SERVER_COMPAT_PLANNER_H

#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "tcop/tcopprot.h"

#if PG_VERSION_NUM >= 190000
#include "optimizer/geqo.h"
#include "optimizer/pathnode.h"
#include "utils/hsearch.h"
#endif

/* What a planner is given beside the query. */
typedef struct DpPlanCall
{
	const char *query_text;
	int options; /* CURSOR_OPT_... */
	ParamListInfo params;
#if PG_VERSION_NUM >= 190000
	ExplainState *explain; /* NULL outside EXPLAIN */
#endif
} DpPlanCall;

/* Defines the planner's hook, which calls plan(Query *, const DpPlanCall *). */
#if PG_VERSION_NUM >= 190000
#define DP_COMPAT_PLANNER_HOOK(name, plan) \
	static PlannedStmt *name(Query *query, const char *query_text, \
							 int options, ParamListInfo params, \
							 ExplainState *explain) \
	{ \
		const DpPlanCall call = {query_text, options, params, explain}; \
\
		return plan(query, &call); \
	}
#else
#define DP_COMPAT_PLANNER_HOOK(name, plan) \
	static PlannedStmt *name(Query *query, const char *query_text, \
							 int options, ParamListInfo params) \
	{ \
		const DpPlanCall call = {query_text, options, params}; \
\
		return plan(query, &call); \
	}
#endif

/* Plans by another planner's hook, or without one by the server. */
static inline PlannedStmt *
dp_compat_plan_by(planner_hook_type hook, Query *query, const DpPlanCall *call)
{
	if (hook == NULL)
		hook = standard_planner;
#if PG_VERSION_NUM >= 190000
	return hook(query, call->query_text, call->options, call->params,
				call->explain);
#else
	return hook(query, call->query_text, call->options, call->params);
#endif
}

/* Plans a query by itself, through the hook. */
static inline PlannedStmt *
dp_compat_plan(Query *query, const char *query_text, int options)
{
#if PG_VERSION_NUM >= 190000
	return planner(query, query_text, options, NULL, NULL);
#else
	return planner(query, query_text, options, NULL);
#endif
}

/* The same, where statistics and debugging output of planning are wanted. */
static inline PlannedStmt *
dp_compat_plan_query(Query *query, const char *query_text, int options)
{
#if PG_VERSION_NUM >= 190000
	return pg_plan_query(query, query_text, options, NULL, NULL);
#else
	return pg_plan_query(query, query_text, options, NULL);
#endif
}

/* The query of an SQL function in FROM, where the planner would put it there; or NULL. */
static inline Query *
dp_compat_inline_function(PlannerInfo *root, RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 190000
	return inline_function_in_from(root, rte);
#else
	return inline_set_returning_function(root, rte);
#endif
}

/*
 * True while the genetic search tries orders of joins. 19 gives it a number when a
 * session searches for the first time, before which nothing may be asked by that.
 */
static inline bool
dp_compat_searches_joins(PlannerInfo *root)
{
#if PG_VERSION_NUM >= 190000
	return Geqo_planner_extension_id >= 0 && GetGeqoPrivateData(root) != NULL;
#else
	return root->join_search_private != NULL;
#endif
}

/*
 * Allows or forbids hash joins while paths of a joined relation are looked for. 19
 * goes by what the relation says, which the setting decides when planning begins.
 */
static inline void
dp_compat_allow_hash_joins(RelOptInfo *joined, bool are_allowed)
{
	enable_hashjoin = are_allowed;
#if PG_VERSION_NUM >= 190000
	if (are_allowed)
		joined->pgs_mask |= PGS_HASHJOIN;
	else
		joined->pgs_mask &= ~(uint64) PGS_HASHJOIN;
#else
	(void) joined;
#endif
}

/*
 * Those of a window's clauses in which rows differ. 16 takes the others out of GROUP BY
 * alone, later versions out of the window as well, and earlier ones out of neither.
 */
static inline List *
dp_compat_differing_clauses(PlannerInfo *root, List *clauses)
{
#if PG_VERSION_NUM >= 160000 && PG_VERSION_NUM < 170000
	List *differing = list_copy(clauses);
	bool is_sortable;

	(void) make_pathkeys_for_sortclauses_extended(
		root, &differing, root->processed_tlist, true, &is_sortable);
	return differing;
#else
	(void) root;
	return clauses;
#endif
}

/*
 * Defines the hook that changes what the planner knows of a table: add() puts
 * it before one that was there, and change(PlannerInfo *, Oid relation, bool
 * inherits, RelOptInfo *) is called after that.
 */
#if PG_VERSION_NUM >= 190000
#define DP_COMPAT_RELATION_HOOK(add, change) \
	static build_simple_rel_hook_type add##_before = NULL; \
\
	static void add##_hook(PlannerInfo *root, RelOptInfo *info, \
						   RangeTblEntry *rte) \
	{ \
		if (add##_before != NULL) \
			add##_before(root, info, rte); \
		if (rte->rtekind == RTE_RELATION) \
			change(root, rte->relid, rte->inh, info); \
	} \
\
	static void add(void) \
	{ \
		add##_before = build_simple_rel_hook; \
		build_simple_rel_hook = add##_hook; \
	}
#else
#define DP_COMPAT_RELATION_HOOK(add, change) \
	static get_relation_info_hook_type add##_before = NULL; \
\
	static void add##_hook(PlannerInfo *root, Oid relation, bool inherits, \
						   RelOptInfo *info) \
	{ \
		if (add##_before != NULL) \
			add##_before(root, relation, inherits, info); \
		change(root, relation, inherits, info); \
	} \
\
	static void add(void) \
	{ \
		add##_before = get_relation_info_hook; \
		get_relation_info_hook = add##_hook; \
	}
#endif

/*
 * Defines add(), after which a statement that is planned while is_planned() is true
 * has no column without nulls for the planner's first steps, which from 19 on look it
 * up before there are relations to be changed: all relations have the same entry,
 * which names no column.
 */
#if PG_VERSION_NUM >= 190000
static inline uint32
dp_compat_one_hash(const void *key, Size size)
{
	(void) key;
	(void) size;
	return 0;
}

static inline int
dp_compat_one_key(const void *a, const void *b, Size size)
{
	(void) a;
	(void) b;
	(void) size;
	return 0;
}

static inline void
dp_compat_forget_not_null(PlannerGlobal *glob)
{
	const HASHCTL control = {.keysize = sizeof(Oid),
							 .entrysize = 64, /* more than the server's */
							 .hash = dp_compat_one_hash,
							 .match = dp_compat_one_key,
							 .hcxt = CurrentMemoryContext};
	Oid any = InvalidOid;

	glob->rel_notnullatts_hash =
		hash_create("columns that may be null", 1, &control,
					HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
	memset(hash_search(glob->rel_notnullatts_hash, &any, HASH_ENTER, NULL), 0,
		   control.entrysize);
}

#define DP_COMPAT_NOT_NULL_HOOK(add, is_planned) \
	static planner_setup_hook_type add##_before = NULL; \
\
	static void add##_hook(PlannerGlobal *glob, Query *query, \
						   const char *query_text, int options, \
						   double *fraction, ExplainState *explain) \
	{ \
		if (add##_before != NULL) \
			add##_before(glob, query, query_text, options, fraction, explain); \
		if (is_planned()) \
			dp_compat_forget_not_null(glob); \
	} \
\
	static void add(void) \
	{ \
		add##_before = planner_setup_hook; \
		planner_setup_hook = add##_hook; \
	}
#else
#define DP_COMPAT_NOT_NULL_HOOK(add, is_planned) \
	static void add(void) \
	{ \
		(void) (is_planned); \
	}
#endif

#endif
