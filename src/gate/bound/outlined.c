/*
 * outlined.c
 *		What a question asks, as plans and the ledger need it.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "optimizer/optimizer.h"

#include "gate/bound/from.h"
#include "gate/bound/key.h"
#include "gate/bound/outlined.h"
#include "gate/bound/written.h"
#include "gate/facts/domain.h"
#include "gate/facts/exclusive.h"
#include "gate/facts/facts.h"
#include "gate/facts/finer.h"
#include "gate/facts/fingerprint.h"
#include "gate/facts/together.h"
#include "gate/read/contribution.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/publics.h"
#include "gate/relations/shown.h"
#include "gate/tree/functions.h"
#include "server/plan_node.h"
#include "server/search.h"

/*
 * Relations
 */

static bool
find_named(const DpNode *node, int depth, void *context)
{
	(void) depth;
	return node->kind == DP_NODE_SCAN &&
		   ((const DpScan *) node)->relation == *(Oid *) context &&
		   !((const DpScan *) node)->is_followed;
}

static void
add_relations(const DpQuestion *question, DpRelations *relations)
{
	foreach_ptr (DpReadRelation, read,
				 dp_contribution_relations(&question->node))
	{
		if (read->is_view)
			dp_relations_add_view(relations, read->relation, read->is_named);
		else
			dp_relations_add(relations, read->relation, read->is_named,
							 !dp_node_visit(&question->node, find_named, NULL,
											&read->relation));
	}
}

/* The columns that name the unit, which are those of FROM's entries. */
static void
add_unit(const DpNode *rows, const DpWritten *written, DpRelations *relations)
{
	const DpUnitName *name = dp_owner_value_name(&rows->facts->owner);
	ListCell *cell;

	foreach (cell, name == NULL ? NIL : name->columns)
	{
		Node *column = strip_implicit_coercions(written->row[lfirst_int(cell)]);

		if (!IsA(column, Var))
			elog(ERROR, "a privacy unit that is computed");
		relations->unit = lappend(relations->unit, copyObject(column));
		relations->certain =
			lappend_int(relations->certain,
						!rows->facts->columns[lfirst_int(cell)].may_be_null);
	}
}

/* The columns of a copy in which no two rows may agree, from 1. */
static List *
key_of(const DpPublicRows *rows, List *looked_up, List *by)
{
	List *key = NIL;
	ListCell *cell;

	foreach (cell, looked_up)
	{
		const Bitmapset *columns = list_nth(by, foreach_current_index(cell));
		int column = -1;

		if (lfirst(cell) != &rows->node)
			continue;
		while ((column = bms_next_member(columns, column)) >= 0)
			key = lappend_int(key, dp_from_attribute(rows, column));
	}
	return key;
}

static void
add_publics(const DpNode *rows, List *copied, DpRelations *relations)
{
	List *looked_up = NIL;
	List *by = NIL;

	if (!relations->several)
		(void) dp_keys_units_are_rows(rows, &looked_up, &by);
	foreach_ptr (const DpCopied, copy, copied)
	{
		DpPublic *public = dp_publics_make(copy->statement, copy->rows->name);

		public->relation = copy->rows->relation;
		public->is_whole = copy->rows->is_whole;
		public->is_shown = copy->rows->is_shown;
		public->key = key_of(copy->rows, looked_up, by);
		relations->publics = lappend(relations->publics, public);
	}
}

void
dp_outlined_relations(const DpQuestion *question, const DpGrouping *grouping,
					  DpWritten *written, List *copied, DpRelations *relations)
{
	const DpNode *rows = question->node.inputs[0];

	memset(relations, 0, sizeof(DpRelations));
	add_relations(question, relations);
	relations->several = question->several;
	relations->one_row = grouping->one_row;
	relations->one_group = grouping->one_group;
	relations->exchanges = question->node.facts->owner.exchanges;
	relations->frame = written->query;
	add_unit(rows, written, relations);
	add_publics(rows, copied, relations);
}

/*
 * Keys and aggregates
 */

/* The parameters that queries among some sources name. */
static List *
parameters_of(List *sources)
{
	List *params = NIL;
	ListCell *cell;

	foreach (cell, sources)
	{
		if (IsA(lfirst(cell), Query))
			params = list_concat_unique(params, dp_search_params(lfirst(cell)));
	}
	return params;
}

DpKey *
dp_outlined_key(const DpQuestion *question, int number, DpWritten *written)
{
	const DpExpr *expr = list_nth(question->keys, number);
	const DpDomain *domain = list_nth(question->domains, number);
	DpKey *key = dp_plan_node_make(DP_KEY_NAME, sizeof(DpKey));

	/* Sub-queries are not shown, and reading them once more is of no use. */
	key->expression =
		dp_expr_has_kind(expr, DP_EXPR_SUBQUERY)
			? (Node *) makeNullConst(expr->type.oid, expr->type.typmod,
									 expr->type.collation)
			: dp_written_as_asked(written, expr);
	key->is_public = domain->is_public;
	key->sources = copyObject(domain->sources);
	key->params = parameters_of(key->sources);
	key->reader = domain->reader;
	key->is_nullable = domain->is_nullable;
	key->finds_null = domain->finds_null;
	key->is_open = domain->is_open;
	key->is_found = domain->is_found;
	key->domain = domain->words == NULL ? NULL : pstrdup(domain->words);
	key->missing = domain->missing == NULL ? NULL : pstrdup(domain->missing);
	key->too_large =
		domain->too_large == NULL ? NULL : pstrdup(domain->too_large);
	return key;
}

List *
dp_outlined_tuples(const DpGrouping *grouping, List *numbers)
{
	List *result = NIL;
	ListCell *number;

	foreach_ptr (const DpTogether, together, grouping->together)
	{
		DpKeyTuples *tuples =
			dp_plan_node_make(DP_KEY_TUPLES_NAME, sizeof(DpKeyTuples));

		foreach (number, numbers)
		{
			if (list_member_int(together->keys, lfirst_int(number)))
				tuples->keys =
					lappend_int(tuples->keys, foreach_current_index(number));
		}
		tuples->sources = copyObject(together->sources);
		tuples->params = parameters_of(tuples->sources);
		tuples->is_found = together->is_found;
		tuples->domain = pstrdup(together->words);
		result = lappend(result, tuples);
	}
	return result;
}

/* An aggregate as it is asked, over the written rows. */
static Aggref *
aggregate_of(const DpAsked *asked, DpWritten *written)
{
	Aggref *aggref = copyObject(asked->aggref);
	int values = dp_aggregate_values(dp_private_aggregates_traits(aggref));

	foreach_ptr (TargetEntry, entry, aggref->args)
	{
		int number = foreach_current_index(entry);

		if (number < values)
			entry->expr = (Expr *) dp_written_expr(
				written, list_nth(asked->args, number));
	}
	if (asked->filter != NULL)
		aggref->aggfilter = (Expr *) dp_written_expr(written, asked->filter);
	return aggref;
}

/* Whether the first argument has a value in every row. */
static bool
is_certain(const DpAsked *asked, const DpColumnFact *row)
{
	const DpExpr *value = asked->args == NIL ? NULL : linitial(asked->args);

	return value != NULL &&
		   (value->kind == DP_EXPR_CONSTANT || value->kind == DP_EXPR_COLUMN) &&
		   !dp_range_of(value, row).may_be_null;
}

void
dp_outlined_aggregates(const DpQuestion *question, DpWritten *written,
					   DpOutline *outline)
{
	const DpColumnFact *row = dp_range_of_row(&question->node);
	bool are_private = dp_key_those(outline->keys, false) != NIL;
	DpExclusive exclusive = dp_exclusive_of(question);

	outline->exclusive = exclusive.others;
	outline->by_zero = exclusive.by_zero;
	foreach_ptr (const DpAsked, asked, question->aggregates)
	{
		outline->aggregates =
			lappend(outline->aggregates, aggregate_of(asked, written));
		outline->certain =
			lappend_int(outline->certain, is_certain(asked, row));
		outline->bounds_origins =
			lappend_int(outline->bounds_origins, (int) asked->bounds_origin);
		outline->forms =
			lappend(outline->forms,
					dp_fingerprint_form(question, foreach_current_index(asked),
										are_private));
	}
	if (!are_private)
		outline->finer = dp_finer_of(question);
}

/*
 * Probes
 */

static Node *
any_column(const DpExpr *expr, void *context)
{
	(void) context;
	return (Node *) makeVar(1, 1, expr->type.oid, expr->type.typmod,
							expr->type.collation, 0);
}

static Node *
any_value(const DpExpr *expr, Node *comparison, void *context)
{
	(void) comparison;
	return any_column(expr, context);
}

static bool
add_probe(const DpExpr *expr, void *context)
{
	List **probes = context;
	DpWriter writer = {
		.column = any_column, .subquery = any_value, .as_asked = true};
	const DpWrapped *wrapped =
		expr->kind == DP_EXPR_CALL ? dp_functions_wrapped(expr) : NULL;

	if (wrapped != NULL && (wrapped->rules & DP_RULE_PROBE) != 0 &&
		(dp_expr_has_kind(expr, DP_EXPR_PARAMETER) ||
		 dp_expr_has_kind(expr, DP_EXPR_MOMENT)))
		*probes = lappend(*probes, dp_kinds_write(expr, &writer));
	return false;
}

List *
dp_outlined_probes(const DpQuestion *question)
{
	List *probes = NIL;

	(void) dp_node_visit(&question->node, NULL, add_probe, &probes);
	return probes;
}

static bool
add_equated(const DpNode *node, int depth, void *context)
{
	List **equated = context;
	ListCell *cell;

	(void) depth;
	if (node->kind != DP_NODE_JOIN && node->kind != DP_NODE_LEFT_JOIN)
		return false;
	foreach (cell, ((const DpJoin *) node)->added)
		*equated = list_append_unique(
			*equated, makeString(pstrdup((const char *) lfirst(cell))));
	return false;
}

List *
dp_outlined_equated(const DpQuestion *question)
{
	List *equated = NIL;

	(void) dp_node_visit(&question->node, add_equated, NULL, &equated);
	return equated;
}

static bool
are_of_role(List *sources)
{
	ListCell *cell;

	foreach (cell, sources)
	{
		if (IsA(lfirst(cell), Query) && dp_shown_is_of_role(lfirst(cell)))
			return true;
	}
	return false;
}

bool
dp_outlined_is_of_role(const List *copied, const DpOutline *outline)
{
	ListCell *cell;

	foreach (cell, copied)
	{
		if (((const DpCopied *) lfirst(cell))->rows->is_of_role)
			return true;
	}
	foreach_ptr (const DpKey, key, outline->keys)
	{
		if (are_of_role(key->sources))
			return true;
	}
	foreach_ptr (const DpKeyTuples, tuples, outline->tuples)
	{
		if (are_of_role(tuples->sources))
			return true;
	}
	return false;
}
