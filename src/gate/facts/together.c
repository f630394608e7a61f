/*
 * together.c
 *		Keys whose values can only occur together.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/between.h"
#include "gate/facts/facts.h"
#include "gate/facts/public_values.h"
#include "gate/facts/together.h"
#include "gate/tree/functions.h"

/* More values that are no constants would take too long for each row. */
#define MOST_COMPUTED 100

/* Where the values of keys come from. */
typedef struct Origin
{
	const DpPublicSet *public; /* these rows decide; or else */
	const DpExpr *column;	   /* it is computed from this column; or NULL */
} Origin;

static bool
is_same_origin(const Origin *one, const Origin *other)
{
	if (one->public != NULL && other->public != NULL)
		return dp_public_values_are_same(one->public, other->public);
	return one->column != NULL && other->column != NULL &&
		   one->column->column.number == other->column->column.number;
}

/* The only column that decides an expression; NULL: there are others, or more. */
typedef struct Only
{
	const DpExpr *column;
	bool has_more;
} Only;

static bool
find_column(const DpExpr *part, void *context)
{
	Only *only = context;

	switch (part->kind)
	{
		case DP_EXPR_COLUMN:
			only->has_more |=
				part->column.depth > 0 ||
				(only->column != NULL &&
				 only->column->column.number != part->column.number);
			only->column = part;
			break;
		case DP_EXPR_PARAMETER:
		case DP_EXPR_MOMENT:
		case DP_EXPR_SUBQUERY:
		case DP_EXPR_COMPARED:
			only->has_more = true;
			break;
		default:
			only->has_more |= dp_expr_has_total(part);
			break;
	}
	return only->has_more;
}

static const DpExpr *
only_column(const DpExpr *expr)
{
	Only only = {NULL, false};

	(void) dp_expr_visit(expr, find_column, &only);
	return only.has_more ? NULL : only.column;
}

/* All places where the values of a key may come from: of Origin. */
static List *
origins_of(const DpNode *rows, const DpExpr *key)
{
	List *origins = NIL;
	Origin *origin;
	ListCell *cell;

	foreach (cell, dp_public_values_sources(rows, key))
	{
		origin = palloc0(sizeof(Origin));
		origin->public = lfirst(cell);
		origins = lappend(origins, origin);
	}
	if (origins != NIL || only_column(key) == NULL)
		return origins;
	origin = palloc0(sizeof(Origin));
	origin->column = only_column(key);
	return list_make1(origin);
}

static bool
has_origin(const List *origins, const Origin *origin)
{
	ListCell *cell;

	foreach (cell, origins)
	{
		if (is_same_origin(lfirst(cell), origin))
			return true;
	}
	return false;
}

/* The keys among some that have an origin. */
static Bitmapset *
keys_with(const List *origins, const Bitmapset *keys, const Origin *origin)
{
	Bitmapset *result = NULL;
	int key = -1;

	while ((key = bms_next_member(keys, key)) >= 0)
	{
		if (has_origin(list_nth(origins, key), origin))
			result = bms_add_member(result, key);
	}
	return result;
}

/* Those of several of a key's origins that most keys have, with these. */
static Bitmapset *
most_with(const List *origins, const Bitmapset *keys, int key,
		  const Origin **origin)
{
	Bitmapset *most = NULL;
	ListCell *cell;

	*origin = NULL;
	foreach (cell, (List *) list_nth(origins, key))
	{
		Bitmapset *those = keys_with(origins, keys, lfirst(cell));

		if (bms_num_members(those) > bms_num_members(most))
		{
			most = those;
			*origin = lfirst(cell);
		}
	}
	return most;
}

static List *
all_origins(const DpNode *rows, const List *keys)
{
	List *origins = NIL;

	foreach_ptr (const DpExpr, expr, keys)
		origins = lappend(origins, origins_of(rows, expr));
	return origins;
}

/*
 * Tuples
 */

/* Rows with listed values; NULL where not all of these are constants. */
static DpKept *
keep_listed(const DpExpr *column, const DpDomain *domain)
{
	DpKept *kept = palloc0(sizeof(DpKept));
	ListCell *cell;

	foreach (cell, domain->sources)
	{
		if (!IsA(lfirst(cell), Const))
			return NULL;
	}
	kept->column = column;
	kept->values = domain->sources;
	kept->is_nullable = domain->is_nullable;
	return kept->values == NIL ? NULL : kept;
}

/* Of a column that has listed values, with null. */
static bool
find_listed(const DpNode *rows, const DpExpr *column, List *exprs,
			DpTogether *found)
{
	const DpDomain *domain =
		linitial(dp_domain_of_keys(rows, list_make1((void *) column)));
	List *values = list_copy(domain->sources);
	ListCell *cell;
	ListCell *image;

	if (dp_domain_values(domain) == 0)
		return false;
	foreach (cell, exprs)
	{
		if (dp_functions_depends_on_zone(lfirst(cell)))
			return false;
	}
	if (domain->is_nullable)
		values =
			lappend(values, makeNullConst(column->type.oid, column->type.typmod,
										  column->type.collation));
	foreach (cell, values)
	{
		List *images = dp_arithmetic_images(exprs, lfirst(cell));

		foreach (image, images)
		{
			lfirst(image) = eval_const_expressions(NULL, lfirst(image));
			if (!IsA(lfirst(image), Const) &&
				contain_mutable_functions(lfirst(image)))
				return false;
		}
		found->sources = lappend(found->sources, images);
	}
	found->is_open = domain->is_open;
	found->kept = domain->is_open ? keep_listed(column, domain) : NULL;
	found->is_found = domain->is_found;
	found->words = domain->words;
	return true;
}

static bool
find_tuples(const DpNode *rows, const Origin *origin, List *exprs,
			DpTogether *found)
{
	found->is_found = true;
	if (origin->public != NULL)
	{
		found->sources = dp_public_values_queries(rows, origin->public, exprs);
		found->words =
			psprintf("columns of %s",
					 dp_public_values_names(rows, origin->public, exprs));
		return true;
	}
	return find_listed(rows, origin->column, exprs, found) ||
		   dp_between_find_together(rows, dp_range_of_counted(rows), exprs,
									found);
}

static List *
chosen(const List *keys, const Bitmapset *numbers)
{
	List *result = NIL;
	int key = -1;

	while ((key = bms_next_member(numbers, key)) >= 0)
		result = lappend(result, list_nth(keys, key));
	return result;
}

List *
dp_together_of(const DpNode *rows, List *keys, List *domains,
			   const Bitmapset *numbers)
{
	List *origins = all_origins(rows, keys);
	Bitmapset *left = NULL;
	List *result = NIL;
	int key = -1;

	while ((key = bms_next_member(numbers, key)) >= 0)
	{
		if (((const DpDomain *) list_nth(domains, key))->is_public)
			left = bms_add_member(left, key);
	}
	for (key = -1; (key = bms_next_member(left, key)) >= 0;)
	{
		const Origin *origin;
		Bitmapset *those = most_with(origins, left, key, &origin);
		DpTogether *found = palloc0(sizeof(DpTogether));
		int number = -1;

		if (origin == NULL || bms_num_members(those) < 2 ||
			!find_tuples(rows, origin, chosen(keys, those), found))
			continue;
		while ((number = bms_next_member(those, number)) >= 0)
			found->keys = lappend_int(found->keys, number);
		result = lappend(result, found);
		left = bms_difference(left, those);
	}
	return result;
}

List *
dp_together_with_private(const DpNode *rows, List *keys, List *domains,
						 List *groupings)
{
	List *origins = all_origins(rows, keys);
	List *result = list_copy(domains);
	ListCell *origin;

	foreach_ptr (const Bitmapset, numbers, groupings)
	{
		int key = -1;

		while ((key = bms_next_member(numbers, key)) >= 0)
		{
			Bitmapset *those = NULL;
			int other = -1;

			if (((const DpDomain *) list_nth(domains, key))->is_public)
				continue;
			foreach (origin, (List *) list_nth(origins, key))
				those = bms_add_members(
					those, keys_with(origins, numbers, lfirst(origin)));
			while ((other = bms_next_member(those, other)) >= 0)
			{
				if (((const DpDomain *) list_nth(domains, other))->is_public)
					lfirst(list_nth_cell(result, other)) =
						palloc0(sizeof(DpDomain));
			}
		}
	}
	return result;
}

bool
dp_together_are_too_many(List *values)
{
	return list_length(values) > MOST_COMPUTED && !IsA(linitial(values), Const);
}

/* Whether what is kept of a column is all that has a key's values, too. */
static bool
is_of_kept(const DpExpr *key, List *kept)
{
	const DpExpr *column = only_column(key);

	foreach_ptr (const DpKept, one, kept)
	{
		if (column != NULL &&
			one->column->column.number == column->column.number)
			return true;
	}
	return false;
}

bool
dp_together_kept(const DpNode *rows, List *keys, List *domains, List **kept)
{
	Bitmapset *all =
		keys == NIL ? NULL : bms_add_range(NULL, 0, list_length(keys) - 1);
	ListCell *key;
	ListCell *of;

	*kept = NIL;
	foreach_ptr (const DpTogether, together,
				 dp_together_of(rows, keys, domains, all))
	{
		if (together->is_open && together->kept == NULL)
			return false;
		if (together->is_open)
			*kept = lappend(*kept, (void *) together->kept);
	}
	forboth (key, keys, of, domains)
	{
		const DpDomain *domain = lfirst(of);

		if (domain->is_open && dp_together_are_too_many(domain->sources) &&
			!is_of_kept(lfirst(key), *kept))
			return false;
	}
	return true;
}

uint64
dp_together_values(const DpTogether *together)
{
	ListCell *cell;

	foreach (cell, together->sources)
	{
		if (IsA(lfirst(cell), Query))
			return 0;
	}
	return (uint64) list_length(together->sources);
}
