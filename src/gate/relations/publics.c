/*
 * publics.c
 *		What is public in a block, and its copies.
 */
#include "postgres.h"

#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "gate/relations/protection.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "gate/relations/release_call.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/plan_node.h"
#include "server/search.h"

/* The functions of the node in plans. */

static void
copy_public(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpPublic *new = (DpPublic *) to;
	const DpPublic *old = (const DpPublic *) from;

	new->name = pstrdup(old->name);
	new->params = copyObject(old->params);
	new->relation = old->relation;
	new->key = list_copy(old->key);
	new->is_whole = old->is_whole;
	new->is_shown = old->is_shown;
	new->rows = copyObject(old->rows);
}

void
dp_publics_init(void)
{
	dp_plan_node_register(DP_PUBLIC_NAME, sizeof(DpPublic), copy_public);
}

char *
dp_publics_name(int number)
{
	return psprintf("dp_public_%d", number);
}

bool
dp_publics_is_name(const char *name)
{
	return dp_publics_number(name) > 0;
}

int
dp_publics_number(const char *name)
{
	return strncmp(name, "dp_public_", 10) == 0
			   ? (int) strtol(name + 10, NULL, 10)
			   : 0;
}

DpPublic *
dp_publics_of(const DpRelations *relations, const RangeTblEntry *rte)
{
	if (rte->rtekind != RTE_NAMEDTUPLESTORE ||
		!dp_publics_is_name(rte->enrname))
		return NULL;
	return list_nth(relations->publics, dp_publics_number(rte->enrname) - 1);
}

/* The functions that tell what is public. */

/* An entry of FROM that is a protected relation or view. */
static bool
is_protected(Node *node, void *context)
{
	RangeTblEntry *rte = (RangeTblEntry *) node;

	(void) context;
	return IsA(node, RangeTblEntry) &&
		   (OidIsValid(dp_protection_view(rte)) ||
			(rte->rtekind == RTE_RELATION &&
			 (rte->relkind == RELKIND_RELATION ||
			  rte->relkind == RELKIND_PARTITIONED_TABLE ||
			  rte->relkind == RELKIND_FOREIGN_TABLE) &&
			 dp_protection_exists(rte->relid)));
}

bool
dp_publics_reads_protected(Query *query)
{
	return dp_search_any((Node *) query, is_protected, NULL);
}

bool
dp_publics_is_public(const RangeTblEntry *rte)
{
	return !dp_search_any_of_entry(rte, is_protected, NULL);
}

/*
 * Finds columns and names of WITH from outside a query. own: levels of the query
 * around what is searched.
 */
static DpVisit
find_outward(Node *node, const List *around, void *own)
{
	Index depth = (Index) (list_length(around) + *(int *) own);
	bool is_found = false;

	switch (nodeTag(node))
	{
		case T_Var:
			is_found = ((Var *) node)->varlevelsup >= depth;
			break;
		case T_Aggref:
			is_found = ((Aggref *) node)->agglevelsup >= depth;
			break;
		case T_GroupingFunc:
			is_found = ((GroupingFunc *) node)->agglevelsup >= depth;
			break;
		case T_RangeTblEntry:
			is_found = ((RangeTblEntry *) node)->rtekind == RTE_CTE &&
					   ((RangeTblEntry *) node)->ctelevelsup >= depth;
			break;
		default:
			break;
	}
	return is_found ? DP_VISIT_FOUND : DP_VISIT_PARTS;
}

bool
dp_publics_refers_outward(Query *query)
{
	int own = 0;

	return dp_search((Node *) query, find_outward, &own,
					 QTW_EXAMINE_RTES_BEFORE);
}

/* The same for an entry of FROM, which may refer to its neighbours, too. */
static bool
entry_refers_outward(const RangeTblEntry *rte)
{
	int own = 0;
	int of_quals = 1; /* they name its own columns */
	RangeTblEntry *plain = copyObject((RangeTblEntry *) rte);

	plain->securityQuals = NIL;
	return rte->lateral ||
		   dp_search_entry(plain, find_outward, &own,
						   QTW_EXAMINE_RTES_BEFORE) ||
		   dp_search((Node *) rte->securityQuals, find_outward, &of_quals,
					 QTW_EXAMINE_RTES_BEFORE);
}

static bool
is_release(Node *node, void *release)
{
	return IsA(node, FuncExpr) &&
		   ((FuncExpr *) node)->funcid == *(Oid *) release;
}

bool
dp_publics_reads_release(Query *query)
{
	Oid release = dp_release_call_function();

	return dp_search_any((Node *) query, is_release, &release);
}

bool
dp_publics_has_one_row(const Query *query)
{
	return query->hasAggs && query->groupClause == NIL &&
		   query->groupingSets == NIL && query->setOperations == NULL &&
		   !query->hasTargetSRFs;
}

/* Rows of a trigger's statement, which only its own queries can name. */
static bool
is_transition(Node *node, void *context)
{
	(void) context;
	return IsA(node, RangeTblEntry) &&
		   ((RangeTblEntry *) node)->rtekind == RTE_NAMEDTUPLESTORE;
}

void
dp_publics_check(const RangeTblEntry *rte, int location)
{
	Oid release = dp_release_call_function();

	if (dp_search_any_of_entry(rte, is_transition, NULL))
		dp_refusal_raise("a transition table", "Copy its rows to a table.",
						 location);
	if (rte->rtekind == RTE_CTE)
		dp_refusal_raise("a WITH query that is recursive or volatile, or that "
						 "has a private answer and is used twice,",
						 "Write its query as a sub-query, or its answer as a "
						 "value; or store its rows in a table first.",
						 location);
	if (entry_refers_outward(rte))
		dp_refusal_raise(
			"LATERAL, or a sub-query in FROM that refers to an outer query,",
			"Join it by conditions of the columns instead, such as JOIN "
			"(VALUES "
			"('a'), ('b')) AS t (x) ON x = ANY (xs) for unnest(xs).",
			location);
	if (dp_search_any_of_entry(rte, is_release, &release))
		dp_refusal_raise(
			"a sub-query over private answers with columns of record types",
			"Leave out columns of record types: all others can be joined.",
			location);
}

DpPublic *
dp_publics_make(Query *rows, const char *name)
{
	DpPublic *result = dp_plan_node_make(DP_PUBLIC_NAME, sizeof(DpPublic));

	result->name = pstrdup(name);
	result->rows = rows;
	result->params = dp_search_params((Node *) rows);
	return result;
}

void
dp_publics_check_privileges(const Query *rows)
{
	Oid refused = dp_compat_refused_by_query(rows);

	if (OidIsValid(refused))
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(refused)),
					   get_rel_name(refused));
}
