/*
 * shapes.c
 *		What plans rely on of the relations that they read.
 *
 * A shape is written as a text, which plans can carry and two of which are
 * compared exactly.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_inherits.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "gate/relations/shapes.h"
#include "server/lists.h"
#include "server/ownership.h"
#include "server/search.h"
#include "server/statement_error.h"

static void
refuse_changed(Oid relation)
{
	char *name = get_rel_name(relation);

	dp_statement_error((
		errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		name == NULL ? errmsg("a relation that the question reads was dropped "
							  "after the statement was planned")
					 : errmsg("relation \"%s\" was changed after the statement "
							  "was planned",
							  name),
		errhint("Ask again.")));
}

/* The shape of a relation as it is now; NULL when it is gone. */
static char *
shape_of(Oid relation)
{
	Relation rel = try_relation_open(relation, AccessShareLock);
	StringInfoData text;
	int i;

	if (rel == NULL)
		return NULL;
	initStringInfo(&text);
	appendStringInfo(&text, "%u %c", rel->rd_rel->relowner,
					 rel->rd_rel->relkind);
	for (i = 0; i < RelationGetNumberOfAttributes(rel); i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(rel), i);

		if (column->attisdropped)
			appendStringInfoString(&text, " -");
		else
			appendStringInfo(&text, " %u(%d)%u", column->atttypid,
							 column->atttypmod, column->attcollation);
		if (column->attgenerated != '\0')
			appendStringInfoChar(&text, column->attgenerated);
	}
	relation_close(rel, NoLock);
	return text.data;
}

void
dp_shapes_add_public(DpShapes *shapes, Oid relation)
{
	char *text;

	if (list_member_oid(shapes->relations, relation))
		return;
	text = shape_of(relation);
	if (text == NULL)
		refuse_changed(relation);
	shapes->relations = lappend_oid(shapes->relations, relation);
	shapes->texts = lappend(shapes->texts, makeString(text));
}

void
dp_shapes_add(DpShapes *shapes, Oid relation)
{
	Oid owner;
	ListCell *cell;

	dp_shapes_add_public(shapes, relation);
	if (!has_subclass(relation))
		return;
	owner = dp_owner_of(relation);
	foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL))
	{
		Oid other = dp_owner_of(lfirst_oid(cell));

		if (other != owner && !superuser_arg(other))
			dp_statement_error(
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("\"%s\", a part of \"%s\", belongs to another role",
						get_rel_name(lfirst_oid(cell)), get_rel_name(relation)),
				 errhint("Ask the owners to give all parts of the relation "
						 "to its owner: ALTER TABLE ... OWNER TO.")));
		dp_shapes_add_public(shapes, lfirst_oid(cell));
	}
}

void
dp_shapes_add_plan(DpShapes *shapes, const PlannedStmt *plan,
				   const DpShapes *known)
{
	foreach_node (RangeTblEntry, rte, plan->rtable)
	{
		if (rte->rtekind != RTE_RELATION)
			continue;
		if (known != NULL && !list_member_oid(known->relations, rte->relid))
			refuse_changed(rte->relid);
		dp_shapes_add_public(shapes, rte->relid);
	}
}

void
dp_shapes_check(const DpShapes *shapes)
{
	ListCell *relation;
	ListCell *text;

	forboth (relation, shapes->relations, text, shapes->texts)
	{
		char *now = shape_of(lfirst_oid(relation));

		if (now == NULL || strcmp(now, strVal(lfirst(text))) != 0)
			refuse_changed(lfirst_oid(relation));
		pfree(now);
	}
}

DpShapes
dp_shapes_copy(const DpShapes *shapes)
{
	return (DpShapes){list_copy(shapes->relations), copyObject(shapes->texts)};
}

static void
check_column(Oid relation, const Var *column)
{
	HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation),
									  Int16GetDatum(column->varattno));
	Form_pg_attribute now;

	if (!HeapTupleIsValid(tuple))
		refuse_changed(relation);
	now = (Form_pg_attribute) GETSTRUCT(tuple);
	if (now->attisdropped || now->atttypid != column->vartype ||
		now->atttypmod != column->vartypmod ||
		now->attcollation != column->varcollid)
		refuse_changed(relation);
	ReleaseSysCache(tuple);
}

/* Checks a column that this query names; those in its sub-queries have their turn. */
static DpVisit
check_node(Node *node, const List *around, void *context)
{
	const Query *query = linitial_node(Query, around);
	const Var *column = (const Var *) node;
	const RangeTblEntry *rte;

	(void) context;
	if (IsA(node, Query))
		return DP_VISIT_NEXT;
	if (!IsA(node, Var) || column->varlevelsup != 0 || column->varattno <= 0)
		return DP_VISIT_PARTS;
	rte = rt_fetch(column->varno, query->rtable);
	if (rte->rtekind == RTE_RELATION)
		check_column(rte->relid, column);
	return DP_VISIT_PARTS;
}

void
dp_shapes_check_query(Query *query)
{
	(void) dp_search_query(query, check_node, NULL, 0);
}
