/*
 * ready.c
 *		Whether nodes can be asked, which is found before a charge.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/lsyscache.h"

#include "gate/run/nodes/ready.h"
#include "gate/run/nodes/whole.h"
#include "server/citus.h"
#include "server/compat.h"
#include "server/fails_on_node.h"
#include "server/ownership.h"
#include "server/role_path.h"
#include "server/version.h"

/* The query in a copy's that reads a relation; NULL where it is of no rows. */
static Query *
reader_in(Query *copy)
{
	RangeTblEntry *rte;

	if (copy->rtable == NIL)
		return NULL;
	rte = linitial_node(RangeTblEntry, copy->rtable);
	return rte->rtekind == RTE_SUBQUERY ? reader_in(rte->subquery) : copy;
}

static Node *
condition_on(Oid relation)
{
	static const Oid types[] = {INT4OID, BOOLOID, INT4OID};
	Oid function = LookupFuncName(
		list_make2(makeString("dp_noise"), makeString("fails_on_node")), 3,
		types, false);
	Node *version = dp_whole_number(&dp_whole_narrow, dp_version_number());
	Node *schema = dp_whole_number(
		&dp_whole_narrow,
		dp_schema_hash(get_namespace_name(get_rel_namespace(relation))));
	Node *computes =
		makeBoolConst(dp_role_path_is_plain(dp_owner_of(relation)), false);

	return (Node *) makeFuncExpr(function, BOOLOID,
								 list_make3(version, computes, schema),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

List *
dp_nodes_ready_checks(const List *copies)
{
	List *checks = NIL;
	bool is_any = false;

	foreach_node (Query, copy, (List *) copies)
	{
		Query *check = copyObject(copy);
		Query *reader = reader_in(check);
		Oid relation =
			reader == NULL
				? InvalidOid
				: linitial_node(RangeTblEntry, reader->rtable)->relid;

		if (OidIsValid(relation) && dp_citus_distributes(relation))
		{
			reader->jointree->quals =
				make_and_qual(reader->jointree->quals, condition_on(relation));
			is_any = true;
		}
		else
			check = NULL;
		checks = lappend(checks, check);
	}
	return is_any ? checks : NIL;
}
