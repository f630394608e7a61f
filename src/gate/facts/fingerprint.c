/*
 * fingerprint.c
 *		Questions in canonical form, and their fingerprints.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "gate/facts/domain.h"
#include "gate/facts/facts.h"
#include "gate/facts/fill.h"
#include "gate/facts/fingerprint.h"
#include "gate/facts/text.h"
#include "gate/facts/value_text.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/tree/kinds.h"

/* The parts of a form, in this order. */
typedef enum Part
{
	PART_AGGREGATE, /* String: its name, and types that its answer depends on */
	PART_TEXT,		/* of the rows, the arguments, FILTER, and the keys */
	PART_ARGUMENTS, /* Integer: how many */
	PART_HAS_FILTER, /* Integer: whether there is one beside WHERE */
	PART_KEYS,		 /* of String: the kinds of their types */
	PART_DOMAINS,	/* beside: lists of expressions, the values outside of which
					  * rows do not count for other keys either; or NULL */
	PART_IN_ZONE,	/* Integer: whether the session's time zone matters */
	PART_CATEGORIES /* of a mode: its type and collation, and the array that
					  * declares them, if any; NULL for others */
} Part;

/*
 * Types
 */

/*
 * What values are computed as and answers are read as. A conversion that
 * changes no value changes what is done with it: integers lie on a grid of
 * their own, are clamped to bounds that are rounded, and numbers of several
 * types are written in different ways. The types of users have new oids after
 * a restore.
 */
static Oid
known_type(Oid type)
{
	type = getBaseType(type);
	return type < FirstNormalObjectId ? type : InvalidOid;
}

/* The same where all integers are treated alike, and all texts. */
static Oid
known_kind(Oid type)
{
	type = known_type(type);
	switch (type)
	{
		case INT2OID:
		case INT4OID:
			return INT8OID;
		case VARCHAROID:
			return TEXTOID;
		default:
			return type;
	}
}

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
					known_kind(linitial_oid(aggref->aggargtypes)),
					known_type(aggref->aggtype));
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

/* The fraction that makes a median of a quantile. */
static const DpExpr *
one_half(void)
{
	DpType type = {FLOAT8OID, -1, InvalidOid};

	return dp_expr_constant(type, Float8GetDatum(0.5), false);
}

/* The arguments that are the question's: not epsilon and mechanism. */
static List *
arguments_of(const DpQuestion *question, const DpAsked *asked)
{
	const DpAggregateTraits *traits = dp_gate_traits_of(asked->aggref);
	List *result = NIL;
	int count;

	if (asked->args == NIL)
		return NIL;
	if (traits->aggregate == DP_AGGREGATE_COUNT &&
		is_converted(linitial(asked->args)) &&
		!dp_range_of(linitial(asked->args), dp_range_of_row(&question->node))
			 .may_be_null)
		return NIL; /* counts rows */
	count = dp_aggregate_data_arguments(traits) +
			dp_aggregate_bounding_arguments(
				traits, linitial_oid(asked->aggref->aggargtypes));
	result = list_truncate(list_copy(asked->args), count);
	if (traits->is_median)
		result = list_insert_nth(result, 1, (void *) one_half());
	return result;
}

/* The type and collation of the values that a mode may be, and their array. */
static List *
categories_of(const DpAsked *asked)
{
	const Aggref *aggref = asked->aggref;
	DpWriter writer = {.context = NULL};
	List *result;

	if (dp_gate_traits_of(aggref)->own != DP_OWN_CATEGORIES)
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

static List *
key_kinds(List *keys)
{
	List *kinds = NIL;
	ListCell *cell;

	foreach (cell, keys)
		kinds = lappend(
			kinds,
			makeString(psprintf(
				":%u", known_kind(((const DpExpr *) lfirst(cell))->type.oid))));
	return kinds;
}

/*
 * Where groupings are tables of the same rows, these have public values of all
 * keys; declared ones bind nobody. With null, where rows may have that.
 */
static List *
key_domains(const DpQuestion *question)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, question->domains)
	{
		const DpDomain *domain = lfirst(cell);
		List *values = NIL;

		if (question->are_of_one && domain->is_open)
		{
			values = copyObject(domain->sources);
			if (domain->is_nullable)
				values =
					lappend(values, makeNullConst(TEXTOID, -1, InvalidOid));
		}
		result = lappend(result, values);
	}
	return result;
}

List *
dp_fingerprint_form(const DpQuestion *question, int aggregate, bool are_private)
{
	const DpAsked *asked = list_nth(question->aggregates, aggregate);
	const DpAggregateTraits *traits = dp_gate_traits_of(asked->aggref);
	List *exprs = arguments_of(question, asked);
	int arguments = list_length(exprs);
	bool has_filter = asked->filter != NULL && are_private;
	List *conditions = NIL;
	bool in_zone = false;
	DpText *text;

	if (has_filter)
		exprs = lappend(exprs, (void *) asked->filter);
	else if (asked->filter != NULL)
		conditions = list_make1((void *) asked->filter);
	exprs = list_concat(exprs, question->keys);
	text = dp_text_of(question->node.inputs[0], conditions, exprs, &in_zone);
	return list_concat(
		list_make5(makeString(aggregate_text(traits, asked->aggref)), text,
				   makeInteger(arguments), makeInteger(has_filter),
				   key_kinds(question->keys)),
		list_make3(key_domains(question), makeInteger(in_zone),
				   categories_of(asked)));
}

/*
 * Texts
 */

/* The values that a mode may be, whatever order they are declared in. */
static char *
categories_text(List *form, DpExecution *execution)
{
	Oid type = linitial_oid(linitial_node(List, form));
	Oid collation = lsecond_oid(linitial_node(List, form));
	DpCategories *categories;
	List *texts = NIL;
	uint32 i;

	if (list_length(form) < 2)
		categories = dp_categories_of_type(type);
	else
	{
		const Const *array = dp_fill(lsecond(form), execution);

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

/* The values in which rows have the keys by which they are not grouped. */
static char *
domains_text(const List *form, List *texts, const Bitmapset *keys,
			 DpExecution *execution)
{
	List *domains = list_nth(form, PART_DOMAINS);
	List *result = NIL;
	int number;
	ListCell *cell;

	for (number = 0; number < list_length(domains); number++)
	{
		List *values = NIL;

		if (bms_is_member(number, keys) || list_nth(domains, number) == NULL)
			continue;
		foreach (cell, list_nth_node(List, domains, number))
		{
			const Const *value = dp_fill(lfirst(cell), execution);

			values = lappend(
				values, value == NULL ? pstrdup("?")
									  : dp_value_text_of_constant(value, true));
		}
		result = lappend(result,
						 psprintf("%s in %s", (char *) list_nth(texts, number),
								  dp_text_join_sorted("", values)));
	}
	return result == NIL
			   ? pstrdup("")
			   : psprintf(" %s", dp_text_join_sorted("within", result));
}

/* A group key in canonical form, and what the keys of an answer are read as. */
typedef struct KeyText
{
	char *text;
	int place; /* among those given, from 0 */
} KeyText;

static int
compare_keys(const ListCell *a, const ListCell *b)
{
	return strcmp(((KeyText *) lfirst(a))->text, ((KeyText *) lfirst(b))->text);
}

/* Keys with their kinds, in the order of their texts. texts: of all of them. */
static List *
sorted_keys(const List *form, List *texts, const Bitmapset *keys)
{
	List *result = NIL;
	int number = -1;

	while ((number = bms_next_member(keys, number)) >= 0)
	{
		KeyText *key = palloc(sizeof(KeyText));

		key->text = psprintf(
			"%s%s", (char *) list_nth(texts, number),
			strVal(list_nth(list_nth_node(List, form, PART_KEYS), number)));
		key->place = list_length(result);
		result = lappend(result, key);
	}
	list_sort(result, compare_keys);
	return result;
}

static int
part_number(const List *form, Part part)
{
	return intVal(list_nth(form, part));
}

/*
 * Texts of the rows, the arguments, FILTER, and all keys. *first_key: where
 * these begin.
 */
static List *
write_texts(const List *form, DpExecution *execution, int *first_key)
{
	*first_key = 1 + part_number(form, PART_ARGUMENTS) +
				 part_number(form, PART_HAS_FILTER);
	return dp_text_write(list_nth(form, PART_TEXT), dp_fill, execution);
}

static char *
question_text(const List *form, const Bitmapset *keys, DpExecution execution)
{
	int nest = dp_value_text_begin();
	List *categories = list_nth(form, PART_CATEGORIES);
	int first_key;
	List *texts = write_texts(form, &execution, &first_key);
	List *key_texts = list_copy_tail(texts, first_key);
	StringInfoData text;
	ListCell *cell;
	int i;

	initStringInfo(&text);
	appendStringInfoString(&text, strVal(list_nth(form, PART_AGGREGATE)));
	for (i = 1; i <= part_number(form, PART_ARGUMENTS); i++)
		appendStringInfo(&text, " %s", (char *) list_nth(texts, i));
	if (categories != NIL)
		appendStringInfo(&text, " %s", categories_text(categories, &execution));
	if (part_number(form, PART_HAS_FILTER) != 0)
		appendStringInfo(&text, " filter %s",
						 (char *) list_nth(texts, first_key - 1));
	appendStringInfo(&text, " of %s", (char *) linitial(texts));
	foreach (cell, sorted_keys(form, key_texts, keys))
		appendStringInfo(&text, " by %s", ((KeyText *) lfirst(cell))->text);
	appendStringInfoString(&text,
						   domains_text(form, key_texts, keys, &execution));
	if (part_number(form, PART_IN_ZONE) != 0)
		appendStringInfo(
			&text, " in %s",
			dp_value_text_delimited('z', pg_get_timezone_name(execution.zone)));
	AtEOXact_GUC(true, nest);
	return text.data;
}

char *
dp_fingerprint_text(const List *form, const Bitmapset *keys,
					ParamListInfo params)
{
	return question_text(
		form, keys, (DpExecution){.params = params, .zone = session_timezone});
}

char *
dp_fingerprint_description(const List *form, const Bitmapset *keys)
{
	return question_text(
		form, keys,
		(DpExecution){.zone = session_timezone, .may_be_described = true});
}

void
dp_fingerprint_of(const List *form, const Bitmapset *keys, ParamListInfo params,
				  unsigned char fingerprint[DP_FINGERPRINT_SIZE])
{
	const char *text = dp_fingerprint_text(form, keys, params);

	SHA256((const unsigned char *) text, strlen(text), fingerprint);
}

int *
dp_fingerprint_key_order(const List *form, const Bitmapset *keys,
						 ParamListInfo params)
{
	DpExecution execution = {.params = params, .zone = session_timezone};
	int *order = palloc(Max(bms_num_members(keys), 1) * sizeof(int));
	int nest = dp_value_text_begin();
	int first_key;
	List *texts = write_texts(form, &execution, &first_key);
	int count = 0;
	ListCell *cell;

	foreach (cell, sorted_keys(form, list_copy_tail(texts, first_key), keys))
		order[count++] = ((KeyText *) lfirst(cell))->place;
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
	SHA256(bytes, size + DP_FINGERPRINT_SIZE, fingerprint);
}
