/*
 * domain.c
 *		Which values a group key may have.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/between.h"
#include "gate/facts/domain.h"
#include "gate/facts/order.h"
#include "gate/facts/public_values.h"
#include "gate/facts/range.h"
#include "gate/facts/sources.h"
#include "gate/facts/stated.h"
#include "gate/tree/functions.h"
#include "gate/tree/kinds.h"
#include "server/compat.h"
#include "server/stack.h"

/* Up to this number, values are compared one by one; more are sorted first. */
#define MOST_SEARCHED 1000

/* Where the values of an expression are looked for, and what is found. */
typedef struct Search
{
	const DpNode *rows;
	const DpColumnFact *row;
	bool has_query; /* among the sources */
	DpDomain found;
} Search;

static bool find_values(const DpExpr *expr, Search *search);

static void
add_words(Search *search, const char *words)
{
	if (search->found.words == NULL)
		search->found.words = words;
	else if (words != NULL && strcmp(search->found.words, words) != 0)
		search->found.words = psprintf("%s, %s", search->found.words, words);
}

static void
add_null_of(Search *search, const DpExpr *expr)
{
	bool may_be_null = dp_range_of(expr, search->row).may_be_null;
	bool is_stated = may_be_null && dp_stated_not_null(search->rows, expr);

	search->found.is_nullable |= may_be_null && !is_stated;
	search->found.is_narrowed |= is_stated;
}

/* Values that a query finds. False where another role reads others. */
static bool
add_query(Search *search, Query *query, Oid reader)
{
	if (search->has_query && search->found.reader != reader)
		return false;
	search->has_query = true;
	search->found.reader = reader;
	search->found.sources = lappend(search->found.sources, query);
	return true;
}

static int
compare_values(const ListCell *a, const ListCell *b)
{
	return dp_arithmetic_compare(lfirst_node(Const, a), lfirst_node(Const, b));
}

/*
 * Adds values, each once where all are constants; many of them are reordered.
 */
static void
add_values(Search *search, List *values)
{
	bool is_sorted = list_length(values) > MOST_SEARCHED;
	ListCell last = {.ptr_value = NULL};
	List *once = NIL;
	ListCell *cell;

	foreach (cell, values)
	{
		if (!IsA(lfirst(cell), Const))
		{
			search->found.sources = list_concat(search->found.sources, values);
			return;
		}
	}
	if (is_sorted)
		list_sort(values, compare_values);
	foreach (cell, values)
	{
		if (!is_sorted)
			once = list_append_unique(once, lfirst(cell));
		else if (lfirst(&last) == NULL || compare_values(&last, cell) != 0)
			once = lappend(once, lfirst(cell));
		last = *cell;
	}
	search->found.sources = list_concat(search->found.sources, once);
}

static void
add_found(Search *search, const DpDomain *found)
{
	add_values(search, found->sources);
	search->found.is_nullable |= found->is_nullable;
	search->found.finds_null |= found->finds_null;
	search->found.is_open |= found->is_open;
	search->found.is_found |= found->is_found;
	search->found.is_narrowed |= found->is_narrowed;
	add_words(search, found->words);
}

/* The values that conditions leave an expression. */
static bool
find_stated(const DpExpr *expr, Search *search)
{
	List *stated = dp_stated_values(search->rows, expr);
	List *values = NIL;

	if (stated == NIL)
		return false;
	foreach_ptr (const DpExpr, one, stated)
		values = lappend(values, dp_arithmetic_image(one, NULL));
	add_values(search, values);
	search->found.is_narrowed = true;
	add_words(search, "values of the conditions");
	return true;
}

/* By type alone: truth values and enums. */
static bool
find_by_type(const DpExpr *expr, Search *search)
{
	Oid type = getBaseType(expr->type.oid);

	if (type == BOOLOID)
	{
		add_values(search, list_make2(makeBoolConst(false, false),
									  makeBoolConst(true, false)));
		add_words(search, "boolean");
	}
	else if (type_is_enum(type))
	{
		if (!add_query(search, dp_sources_of_enum(type), InvalidOid))
			return false;
		add_words(search, psprintf("enum %s", format_type_be(type)));
	}
	else
		return false;
	add_null_of(search, expr);
	return true;
}

/* Whatever is computed from one column between bounds. */
static bool
find_between(const DpExpr *expr, Search *search)
{
	DpDomain between = {0};

	if (!dp_between_find(search->rows, search->row, expr, &between))
	{
		if (search->found.missing == NULL)
			search->found.missing = between.missing;
		return false;
	}
	add_found(search, &between);
	search->found.is_found = true;
	return true;
}

/* What the owner declared for a column. */
static bool
find_declared(const DpExpr *column, const DpColumnFact *fact, Search *search)
{
	List *values;

	if (!OidIsValid(fact->relation) ||
		!dp_sources_declared(fact->relation, fact->attribute, column->type,
							 &values))
		return false;
	search->found.sources = list_concat(search->found.sources, values);
	search->found.is_open = true;
	add_words(search, "declared values");
	return true;
}

/* What public rows decide: all values that it has over these. */
static bool
find_public(const DpExpr *expr, Search *search)
{
	List *sources = dp_public_values_sources(search->rows, expr);
	List *exprs = list_make1((void *) expr);

	if (sources == NIL ||
		(search->has_query && OidIsValid(search->found.reader)))
		return false;
	foreach_ptr (
		Query, query,
		dp_public_values_queries(search->rows, linitial(sources), exprs))
	{
		(void) add_query(search, query, InvalidOid);
		search->found.is_narrowed |= query->jointree->quals != NULL;
	}
	search->found.finds_null = search->found.is_found = true;
	add_words(search,
			  psprintf(dp_expr_column_of(expr) != NULL ? "column of %s"
													   : "computed from %s",
					   dp_public_values_names(search->rows, linitial(sources),
											  exprs)));
	return true;
}

static bool
find_referred(const DpColumnFact *fact, Search *search)
{
	const DpScan *scan = (const DpScan *) fact->source;
	Query *query;
	Oid referred;
	Oid reader;

	if (scan == NULL || scan->node.kind != DP_NODE_SCAN ||
		scan->attributes[fact->source_column] <= 0)
		return false;
	query = dp_sources_of_reference(scan->relation,
									scan->attributes[fact->source_column],
									&referred, &reader);
	if (query == NULL || !add_query(search, query, reader))
		return false;
	search->found.is_found = true;
	add_words(search, psprintf("foreign key to %s",
							   quote_identifier(get_rel_name(referred))));
	return true;
}

static bool
find_of_column(const DpExpr *column, Search *search)
{
	const DpColumnFact *fact;

	if (column->column.depth != 0)
		return false;
	fact = &search->row[column->column.number];
	if (!find_declared(column, fact, search))
	{
		if (find_public(column, search))
			return true;
		if (!find_referred(fact, search))
			return find_by_type(column, search) || find_between(column, search);
	}
	add_null_of(search, column);
	return true;
}

/* Whether these are all that an expression chooses from. */
static bool
chooses_constants(const DpExpr *expr)
{
	int i;

	for (i = 0; i < expr->nargs; i++)
	{
		if (dp_expr_is_result(expr, i) &&
			expr->args[i]->kind != DP_EXPR_CONSTANT &&
			expr->args[i]->kind != DP_EXPR_PARAMETER)
			return false;
	}
	return true;
}

/*
 * Finds values of all that an expression chooses from, or else as computed from
 * one column; of CASE and NULLIF first so, for they may leave some values out, null
 * among them.
 */
static bool
find_of_results(const DpExpr *expr, Search *search)
{
	DpDomain before = search->found;
	bool has_query = search->has_query;
	bool is_found = true;
	int i;

	if (((expr->kind == DP_EXPR_CASE && !chooses_constants(expr)) ||
		 expr->kind == DP_EXPR_NULLIF) &&
		find_between(expr, search))
		return true;
	before.sources = list_copy(before.sources);
	for (i = 0; i < expr->nargs && is_found; i++)
		is_found =
			!dp_expr_is_result(expr, i) || find_values(expr->args[i], search);
	if (is_found)
	{
		if (expr->kind == DP_EXPR_COALESCE)
			search->found.is_nullable = before.is_nullable;
		if (expr->kind == DP_EXPR_COALESCE || expr->kind == DP_EXPR_NULLIF)
			add_null_of(search, expr);
		return true;
	}
	before.missing = search->found.missing;
	search->found = before;
	search->has_query = has_query;
	return find_between(expr, search);
}

/* A call over a row whose first column is the one argument that varies. */
static const DpExpr *
over_argument(const DpExpr *call, int variable)
{
	DpExpr *result = palloc(sizeof(DpExpr));

	*result = *call;
	result->args = palloc(call->nargs * sizeof(DpExpr *));
	memcpy(result->args, call->args, call->nargs * sizeof(DpExpr *));
	result->args[variable] =
		dp_expr_column((DpColumnName){0, 0}, call->args[variable]->type, -1);
	return result;
}

/*
 * The results of a call whose arguments are constants and one expression with
 * listed values, as they are computed for a row. A row's value may be written otherwise
 * than the one that is listed, to which it is equal.
 */
static bool
find_of_images(const DpExpr *call, Search *search)
{
	Search inner = {.rows = search->rows, .row = search->row};
	bool is_call =
		call->kind == DP_EXPR_CALL || call->kind == DP_EXPR_CAST_BY_TEXT ||
		call->kind == DP_EXPR_GREATEST || call->kind == DP_EXPR_LEAST;
	int variable = dp_arithmetic_variable(call);
	const DpExpr *of_argument;
	List *images = NIL;
	List *values;
	ListCell *cell;

	if (!is_call || variable < 0 || dp_functions_depends_on_zone(call) ||
		!dp_order_keeps_equality(call, call->args[variable]) ||
		!find_values(call->args[variable], &inner))
		return false;
	of_argument = over_argument(call, variable);
	values = list_copy(inner.found.sources);
	if (inner.found.is_nullable) /* of which some functions make a value */
		values = lappend(values, makeNullConst(call->args[variable]->type.oid,
											   -1, InvalidOid));
	inner.found.is_nullable = false;
	foreach (cell, values)
	{
		Node *image;

		if (IsA(lfirst(cell), Query))
			return false;
		image = eval_const_expressions(
			NULL, dp_arithmetic_image(of_argument, lfirst(cell)));
		if (!IsA(image, Const) && contain_mutable_functions(image))
			return false;
		if (IsA(image, Const) && ((Const *) image)->constisnull)
			inner.found.is_nullable = true;
		else
			images = lappend(images, image);
	}
	inner.found.sources = images;
	add_found(search, &inner.found);
	return true;
}

static bool
find_values(const DpExpr *expr, Search *search)
{
	dp_stack_enter();
	if (expr->kind != DP_EXPR_CONSTANT && expr->kind != DP_EXPR_PARAMETER &&
		find_stated(expr, search))
		return true;
	switch (expr->kind)
	{
		case DP_EXPR_CONSTANT:
		case DP_EXPR_PARAMETER:
			if (expr->kind == DP_EXPR_CONSTANT && expr->constant.isnull)
				search->found.is_nullable = true;
			else
				add_values(search, list_make1(dp_arithmetic_image(expr, NULL)));
			return true;
		case DP_EXPR_COLUMN:
			return find_of_column(expr, search);
		default:
			break;
	}
	if (find_public(expr, search))
		return true;
	switch (expr->kind)
	{
		case DP_EXPR_RELABEL:
		case DP_EXPR_CASE:
		case DP_EXPR_COALESCE:
		case DP_EXPR_NULLIF:
			return find_of_results(expr, search);
		default:
			return find_by_type(expr, search) || find_of_images(expr, search) ||
				   find_between(expr, search);
	}
}

/* The domain of a key, by itself. */
static DpDomain *
find_domain(const DpNode *rows, const DpColumnFact *row, const DpExpr *key)
{
	Search search = {.rows = rows, .row = row};
	DpDomain *domain = palloc0(sizeof(DpDomain));

	if (find_values(key, &search))
	{
		*domain = search.found;
		domain->is_public = true;
		if (domain->words == NULL)
			domain->words = "constants";
	}
	domain->missing = domain->is_public ? NULL : search.found.missing;
	return domain;
}

List *
dp_domain_of_keys(const DpNode *rows, List *keys)
{
	const DpColumnFact *row = dp_range_of_counted(rows);
	List *domains = NIL;

	foreach_ptr (const DpExpr, expr, keys)
		domains = lappend(domains, find_domain(rows, row, expr));
	return domains;
}

List *
dp_domain_private(const List *domains)
{
	List *result = NIL;
	int i;

	for (i = 0; i < list_length(domains); i++)
		result = lappend(result, palloc0(sizeof(DpDomain)));
	return result;
}

uint64
dp_domain_values(const DpDomain *domain)
{
	bool has_null = domain->is_nullable;
	ListCell *cell;

	if (!domain->is_public)
		return 0;
	foreach (cell, domain->sources)
	{
		if (IsA(lfirst(cell), Query))
			return 0;
		if (!IsA(lfirst(cell), Const))
			has_null = true; /* a parameter, whose value may be null */
	}
	return (uint64) list_length(domain->sources) + (has_null ? 1 : 0);
}
