/*
 * fingerprint.c
 *		Questions in canonical form, and their fingerprints.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "pgtime.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "gate/facts/domain.h"
#include "gate/facts/facts.h"
#include "gate/facts/fill.h"
#include "gate/facts/fingerprint.h"
#include "gate/facts/text.h"
#include "gate/facts/together.h"
#include "gate/facts/value_text.h"
#include "gate/relations/private_aggregates.h"
#include "gate/tree/kinds.h"
#include "server/settings.h"
#include "server/sha256.h"

/* Of more values that are known beforehand, a form has only the hash. */
#define MOST_WRITTEN 100

/* The parts of a form, in this order. */
typedef enum Part
{
	PART_AGGREGATE, /* String: its name, and types that its answer depends on */
	PART_TEXT, /* forms: of the rows, the arguments, FILTER if there is one beside
				* WHERE, the keys, and what rows must have of each key not to be
				* left out where they are grouped by others: "-" for nothing */
	PART_KEYS,	  /* Integer: how many */
	PART_IN_ZONE, /* Integer: whether the session's time zone matters */
	PART_PEOPLE, /* Integer: that a group has at least which is shown; 1: any */
	PART_CATEGORIES, /* of a mode: its type and collation, and the array that
					  * declares them, if any; NIL for others */
	PART_CAP /* String: the share for which a cap is chosen; NULL: none is */
} Part;

/*
 * The name of an aggregate, and the types that a stored answer and the law of its
 * noise depend on (aggregates/law.h). Values that are only counted may have
 * any. The grid of computed answers is the same for all integers, and other
 * answers are of the type of the values, or arrays of them.
 */
static char *
aggregate_text(const DpAggregateTraits *traits, const Aggref *aggref)
{
	const char *name = traits->is_median
						   ? dp_aggregate_name(DP_AGGREGATE_QUANTILE)
						   : traits->name;

	if (OidIsValid(traits->counted_as))
		return pstrdup(name);
	return psprintf("%s:%u:%u", name,
					dp_value_text_kind(linitial_oid(aggref->aggargtypes)),
					dp_value_text_type(aggref->aggtype));
}

/*
 * Forms
 */

/* True for a constant or a column, whatever it is converted to. */
static bool
is_converted(const DpExpr *expr)
{
	while (expr->kind == DP_EXPR_RELABEL ||
		   (expr->kind == DP_EXPR_CALL && expr->nargs == 1 &&
			!OidIsValid(expr->call.operator)))
		expr = expr->args[0];
	return expr->kind == DP_EXPR_CONSTANT || expr->kind == DP_EXPR_COLUMN;
}

/* The arguments that are the question's: not epsilon and mechanism. */
static List *
arguments_of(const DpQuestion *question, const DpAsked *asked)
{
	const DpAggregateTraits *traits =
		dp_private_aggregates_traits(asked->aggref);
	DpType fraction = {FLOAT8OID, -1, InvalidOid};
	List *result;

	if (asked->args == NIL ||
		(traits->aggregate == DP_AGGREGATE_COUNT &&
		 is_converted(linitial(asked->args)) &&
		 !dp_range_of(linitial(asked->args), dp_range_of_row(&question->node))
			  .may_be_null))
		return NIL; /* counts rows */
	result = list_truncate(
		list_copy(asked->args),
		dp_aggregate_data_arguments(traits) +
			dp_aggregate_bounding_arguments(
				traits, linitial_oid(asked->aggref->aggargtypes)));
	if (traits->is_median) /* a quantile */
		result = list_insert_nth(
			result, 1,
			(void *) dp_expr_constant(fraction, Float8GetDatum(0.5), false));
	return result;
}

/* The type and collation of the values that a mode may be, and their array. */
static List *
categories_of(const DpAsked *asked)
{
	const Aggref *aggref = asked->aggref;
	DpWriter writer = {.context = NULL};
	List *result;

	if (dp_private_aggregates_traits(aggref)->own != DP_OWN_CATEGORIES)
		return NIL;
	result = list_make1(list_make2_oid(
		getBaseType(linitial_oid(aggref->aggargtypes)), aggref->inputcollid));
	if (list_length(asked->args) > 1)
	{
		const DpExpr *array = lsecond(asked->args);

		if (OidIsValid(get_base_element_type(array->type.oid)))
			result = lappend(result, dp_kinds_write(array, &writer));
	}
	return result;
}

static bool
are_constants(const List *values)
{
	ListCell *cell;

	foreach (cell, values)
	{
		if (!IsA(lfirst(cell), Const))
			return false;
	}
	return true;
}

/*
 * Which groups there are, where that does not follow from the key: of FILTER there
 * are others than of WHERE, though the same rows count.
 */
static Node *
groups_form(const DpDomain *domain)
{
	List *values = NIL;
	Node *form;
	int nest;
	ListCell *cell;

	foreach (cell, domain->sources)
		values = lappend(values, IsA(lfirst(cell), Query)
									 ? dp_text_query(lfirst(cell))
									 : copyObject(lfirst(cell)));
	if (domain->is_nullable)
		values = lappend(values, makeNullConst(TEXTOID, -1, InvalidOid));
	form = dp_text_list("&groups", values);
	if (list_length(values) <= MOST_WRITTEN || !are_constants(values))
		return form;
	nest = dp_setting_plain_texts();
	form = (Node *) makeString(dp_text_hash(dp_text_draft(form)));
	AtEOXact_GUC(true, nest);
	return form;
}

/*
 * Of keys with their kinds: what is read as their values. Of those that are found in
 * the rows an answer has some groups only, so they make another question.
 */
static List *
key_forms(const DpQuestion *question, List *forms)
{
	List *result = NIL;
	ListCell *cell;
	ListCell *key;
	ListCell *of;

	forthree (cell, forms, key, question->keys, of, question->domains)
	{
		Oid type = ((const DpExpr *) lfirst(key))->type.oid;
		const DpDomain *domain = lfirst(of);
		List *parts = list_make1(lfirst(cell));

		if (domain->is_public && domain->is_narrowed)
			parts = lappend(parts, groups_form(domain));
		result = lappend(
			result, dp_text_list(psprintf(domain->is_public ? "=key %u"
															: "=found key %u",
										  dp_value_text_kind(type)),
								 parts));
	}
	return result;
}

/* Values, and null where rows may have that. */
static List *
with_null(List *values, bool is_nullable)
{
	return is_nullable ? lappend(values, makeNullConst(TEXTOID, -1, InvalidOid))
					   : values;
}

/*
 * For each key, its open public values, which limit the rows in groupings without that
 * key, too; "-" where nothing limits them. With null, where rows may have that.
 */
static List *
domain_forms(const DpQuestion *question, List *keys)
{
	List *result = NIL;
	ListCell *cell;
	ListCell *key;

	forboth (cell, question->domains, key, keys)
	{
		const DpDomain *domain = lfirst(cell);
		List *values =
			with_null(copyObject(domain->sources), domain->is_nullable);

		result = lappend(
			result, question->are_of_one && domain->is_open
						? dp_text_list("=in", list_make2(lfirst(key),
														 dp_text_list("&values",
																	  values)))
						: (Node *) makeString("-"));
	}
	return result;
}

/* Which rows are kept in all groupings, by their columns, whose forms are these. */
static List *
kept_forms(const DpQuestion *question, List *columns)
{
	List *result = NIL;
	ListCell *cell;
	ListCell *column;

	forboth (cell, question->kept, column, columns)
	{
		const DpKept *kept = lfirst(cell);
		bool is_listed = kept->values != NIL;
		List *values = is_listed ? copyObject(kept->values)
								 : list_make2(copyObject(kept->bounds[0]),
											  copyObject(kept->bounds[1]));

		result = lappend(
			result, dp_text_list(is_listed ? "=kept of" : "=kept between",
								 lcons(lfirst(column),
									   with_null(values, kept->is_nullable))));
	}
	return result;
}

/*
 * Whether tuples of keys are found together. Conditions narrow them, and their forms do
 * not say how; so FILTER and WHERE are two questions there.
 */
static bool
finds_tuples(const DpQuestion *question)
{
	foreach_ptr (const DpGrouping, grouping, question->groupings)
	{
		if (grouping->together != NIL)
			return true;
	}
	return false;
}

List *
dp_fingerprint_form(const DpQuestion *question, int aggregate, bool are_private)
{
	const DpAsked *asked = list_nth(question->aggregates, aggregate);
	List *exprs = arguments_of(question, asked);
	List *conditions = NIL;
	int count = list_length(exprs);
	bool in_zone = false;
	List *forms;
	List *keys;
	List *kept = NIL;
	List *form;

	/* A cap is chosen by the rows of WHERE. */
	if (asked->filter != NULL &&
		(are_private || asked->cap_share > 0 || finds_tuples(question)))
		exprs = lappend(exprs, (void *) asked->filter);
	else if (asked->filter != NULL)
		conditions = list_make1((void *) asked->filter);
	foreach_ptr (const DpKept, one, question->kept)
		kept = lappend(kept, (void *) one->column);
	forms = dp_text_of(
		question->node.inputs[0], conditions,
		list_concat(list_concat_copy(exprs, question->keys), kept), &in_zone);
	kept = kept_forms(question,
					  list_copy_tail(forms, 1 + list_length(exprs) +
												list_length(question->keys)));
	keys = key_forms(question, list_copy_tail(forms, 1 + list_length(exprs)));
	forms = list_truncate(forms, 1 + list_length(exprs));
	if (list_length(exprs) > count)
		forms = lappend(list_truncate(forms, 1 + count),
						dp_text_list("=filter", list_make1(llast(forms))));
	form = list_make5(
		makeString(aggregate_text(dp_private_aggregates_traits(asked->aggref),
								  asked->aggref)),
		list_concat(list_concat(list_concat(forms, kept), keys),
					domain_forms(question, keys)),
		makeInteger(list_length(keys)), makeInteger(in_zone),
		makeInteger(are_private ? (int) question->people : 1));
	form = lappend(form, categories_of(asked));
	return lappend(form, asked->cap_share > 0
							 ? makeString(psprintf("%.17g", asked->cap_share))
							 : NULL);
}

/*
 * Texts
 */

/* The values that a mode may be, whatever order they are declared in. */
static char *
categories_text(List *form, DpTextFill fill, void *context)
{
	const List *known = linitial(form); /* of oids */
	Oid type = linitial_oid(known);
	Oid collation = lsecond_oid(known);
	DpCategories *categories;
	List *texts = NIL;
	uint32 i;

	if (list_length(form) < 2)
		categories = dp_categories_of_type(type);
	else
	{
		const Const *array = fill(lsecond(form), context);

		if (array == NULL)
			return pstrdup("?");
		if (array->constisnull)
			elog(ERROR, "the values of a mode are null");
		categories = dp_categories_of_array(type, collation, array->constvalue);
	}
	for (i = 0; i < categories->count; i++)
		texts = lappend(
			texts, dp_value_text_of(type, categories->values[i], false, true));
	return dp_text_join_sorted("domain", texts);
}

/* The texts of a question's form, apart. */
typedef struct Texts
{
	List *rows_and_arguments;
	List *keys;	   /* those asked for */
	List *domains; /* of others */
} Texts;

static Texts
write_texts(const List *form, const Bitmapset *keys, DpTextFill fill,
			void *context)
{
	Texts texts = {NIL, NIL, NIL};
	int count = intVal(list_nth(form, PART_KEYS));
	List *all = dp_text_write(list_nth(form, PART_TEXT), fill, context);
	int first = list_length(all) - 2 * count;
	int i;

	texts.rows_and_arguments = list_truncate(list_copy(all), first);
	for (i = 0; i < count; i++)
	{
		if (bms_is_member(i, keys))
			texts.keys = lappend(texts.keys, list_nth(all, first + i));
		else if (strcmp(list_nth(all, first + count + i), "-") != 0)
			texts.domains =
				lappend(texts.domains, list_nth(all, first + count + i));
	}
	return texts;
}

/* The places of texts in their order. */
static int *
order_of(const List *texts)
{
	int count = list_length(texts);
	int *order = palloc(Max(count, 1) * sizeof(int));
	int i;

	for (i = 0; i < count; i++)
	{
		int at = i;

		for (; at > 0 &&
			   strcmp(list_nth(texts, i), list_nth(texts, order[at - 1])) < 0;
			 at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return order;
}

static char *
question_text(const List *form, const Bitmapset *keys, DpTextFill fill,
			  void *context)
{
	pg_tz *zone = session_timezone;
	int nest = dp_setting_plain_texts();
	List *categories = list_nth(form, PART_CATEGORIES);
	Texts texts = write_texts(form, keys, fill, context);
	int *order = order_of(texts.keys);
	List *parts = texts.rows_and_arguments;
	char *text;
	int i;

	for (i = 0; i < list_length(texts.keys); i++)
		parts = lappend(parts, list_nth(texts.keys, order[i]));
	parts = lappend(parts, dp_text_join_sorted("within", texts.domains));
	if (intVal(list_nth(form, PART_PEOPLE)) > 1)
		parts = lappend(parts, psprintf("(people %d)",
										intVal(list_nth(form, PART_PEOPLE))));
	if (list_nth(form, PART_CAP) != NULL)
		parts = lappend(parts,
						psprintf("(cap %s)", strVal(list_nth(form, PART_CAP))));
	if (categories != NIL)
		parts = lappend(parts, categories_text(categories, fill, context));
	if (intVal(list_nth(form, PART_IN_ZONE)) != 0)
		parts = lappend(
			parts, dp_value_text_delimited('z', pg_get_timezone_name(zone)));
	text = dp_text_join(strVal(list_nth(form, PART_AGGREGATE)), parts);
	AtEOXact_GUC(true, nest);
	return text;
}

char *
dp_fingerprint_description(const List *form, const Bitmapset *keys)
{
	return question_text(form, keys, dp_text_constant, NULL);
}

void
dp_fingerprint_of(const List *form, const Bitmapset *keys, ParamListInfo params,
				  unsigned char fingerprint[DP_FINGERPRINT_SIZE])
{
	DpExecution execution = {params, session_timezone};
	const char *text = question_text(form, keys, dp_fill, &execution);

	dp_sha256(text, strlen(text), fingerprint);
}

int *
dp_fingerprint_key_order(const List *form, const Bitmapset *keys,
						 ParamListInfo params)
{
	DpExecution execution = {params, session_timezone};
	int nest = dp_setting_plain_texts();
	int *order = order_of(write_texts(form, keys, dp_fill, &execution).keys);

	AtEOXact_GUC(true, nest);
	return order;
}

static int
compare_fingerprints(const void *a, const void *b)
{
	return memcmp(a, b, DP_FINGERPRINT_SIZE);
}

void
dp_fingerprint_of_selection(const unsigned char *questions, int count,
							unsigned char fingerprint[DP_FINGERPRINT_SIZE])
{
	Size size = (Size) count * DP_FINGERPRINT_SIZE;
	unsigned char *bytes = palloc(size + DP_FINGERPRINT_SIZE);

	memset(bytes, 0, DP_FINGERPRINT_SIZE); /* no question's */
	memcpy(bytes + DP_FINGERPRINT_SIZE, questions, size);
	qsort(bytes + DP_FINGERPRINT_SIZE, count, DP_FINGERPRINT_SIZE,
		  compare_fingerprints);
	dp_sha256(bytes, size + DP_FINGERPRINT_SIZE, fingerprint);
}
