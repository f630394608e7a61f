/*
 * describe_question.c
 *		dp_noise.describe_question(): how a question is read.
 *
 * For developers, and for tests of single rules. Only superusers may call it: it
 * shows what owners declared, whoever may ask.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "gate/facts/domain.h"
#include "gate/facts/facts.h"
#include "gate/facts/fingerprint.h"
#include "gate/facts/stated.h"
#include "gate/facts/text.h"
#include "gate/hook/deparsed.h"
#include "gate/read/parameter.h"
#include "gate/read/question.h"
#include "gate/relations/picture.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/refusal.h"
#include "gate/relations/with.h"
#include "gate/run/nodes/nodes.h"
#include "gate/tree/print.h"
#include "server/compat.h"
#include "server/search.h"
#include "server/settings.h"

PG_FUNCTION_INFO_V1(dp_describe_question);

/* The columns of the result. */
enum
{
	NODE,
	COLUMNS,
	OWNER,
	EQUAL,
	KEYS,
	FACTS,
	FORM,
	STATEMENT,
	COUNT
};

typedef struct Description
{
	ReturnSetInfo *result;
	char *statement; /* the inner statements of the question described next */
	int indent;
	int depth; /* sub-queries in expressions that are entered */
} Description;

static Datum
words_of_columns(const DpNode *node)
{
	StringInfoData text;
	int i;

	initStringInfo(&text);
	for (i = 0; i < node->ncolumns; i++)
	{
		const DpColumnFact *fact =
			node->facts->columns == NULL ? NULL : &node->facts->columns[i];
		DpStatedBounds stated;

		appendStringInfo(&text, "%s%s", i == 0 ? "" : ", ",
						 node->columns[i].name == NULL ? "?"
													   : node->columns[i].name);
		if (fact == NULL)
			continue;
		stated = dp_stated_bounds(node, dp_node_column(node, i));
		if (fact->has_bounds)
			appendStringInfo(
				&text, " %s..%s",
				DatumGetCString(DirectFunctionCall1(numeric_out, fact->lower)),
				DatumGetCString(DirectFunctionCall1(numeric_out, fact->upper)));
		if (stated.has[0] || stated.has[1])
			appendStringInfo(
				&text, " stated %s..%s",
				stated.has[0] ? psprintf(INT64_FORMAT, stated.numbers[0]) : "",
				stated.has[1] ? psprintf(INT64_FORMAT, stated.numbers[1]) : "");
		if (fact->may_be_null)
			appendStringInfoString(&text, " null");
	}
	return CStringGetTextDatum(text.data);
}

static void
add_name(StringInfo text, const DpUnitName *name)
{
	ListCell *cell;

	if (name->population != 0)
		appendStringInfoString(text, "unit");
	else
		appendStringInfo(text, "key of %s", get_rel_name(name->relation));
	foreach (cell, name->columns)
		appendStringInfo(text, " #%d", lfirst_int(cell));
	if (name->depth > 0)
		appendStringInfo(text, " around (%d)", name->depth);
}

static Datum
words_of_owner(const DpOwner *owner)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, !owner->is_owned		? "public"
								  : owner->names == NIL ? "each row"
														: "");
	foreach_ptr (const DpUnitName, name, owner->names)
	{
		appendStringInfoString(&text,
							   foreach_current_index(name) == 0 ? "" : ", ");
		add_name(&text, name);
	}
	if (owner->exchanges)
		appendStringInfoString(&text, "; exchanges");
	if (list_length(owner->populations) > 1)
		appendStringInfo(&text, "; %d populations",
						 list_length(owner->populations));
	return CStringGetTextDatum(text.data);
}

static Datum
words_of_equal(const DpEqualities *equal)
{
	StringInfoData text;

	initStringInfo(&text);
	foreach_ptr (const List, class, equal)
	{
		appendStringInfoString(&text,
							   foreach_current_index(class) == 0 ? "" : "; ");
		foreach_ptr (const DpExpr, expr, class)
		{
			appendStringInfoString(
				&text, foreach_current_index(expr) == 0 ? "" : " = ");
			dp_print_expr(&text, expr);
		}
	}
	return CStringGetTextDatum(text.data);
}

static Datum
words_of_keys(const DpRowKeys *keys)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, keys->keys)
	{
		appendStringInfoString(&text,
							   foreach_current_index(cell) == 0 ? "(" : ", (");
		dp_print_columns(&text, lfirst(cell));
		appendStringInfoChar(&text, ')');
	}
	if (keys->one_row)
		appendStringInfo(&text, "%sone row", keys->keys == NIL ? "" : "; ");
	else if (!bms_is_empty(keys->known))
	{
		appendStringInfo(&text, "%sone value ", keys->keys == NIL ? "" : "; ");
		dp_print_columns(&text, keys->known);
	}
	return CStringGetTextDatum(text.data);
}

static void
add_grouping(StringInfo text, const DpGrouping *grouping, bool several)
{
	DpContribution contribution = grouping->contribution;

	appendStringInfo(text, "%sby (", text->len == 0 ? "" : "; ");
	dp_print_columns(text, grouping->keys);
	appendStringInfo(
		text, ") rows %u groups %u%s%s", contribution.rows, contribution.groups,
		contribution.neighbours == DP_SUBSTITUTE ? " substitute" : "",
		several ? "" : " one row each");
}

/* What is known besides: of questions, how they are bounded and grouped. */
static Datum
words_of_facts(const DpNode *node)
{
	const DpQuestion *question = (const DpQuestion *) node;
	StringInfoData text;

	initStringInfo(&text);
	if (node->facts->order.depends)
		appendStringInfo(&text, "depends on order: %s",
						 node->facts->order.what);
	if (node->kind != DP_NODE_RELEASE)
		return CStringGetTextDatum(text.data);
	foreach_ptr (const DpDomain, domain, question->domains)
		appendStringInfo(&text, "%skey #%d %s",
						 foreach_current_index(domain) == 0 ? "" : ", ",
						 foreach_current_index(domain),
						 domain->is_public ? domain->words : "private");
	foreach_ptr (const DpGrouping, grouping, question->groupings)
		add_grouping(&text, grouping, question->several);
	return CStringGetTextDatum(text.data);
}

/* The canonical form of rows. */
static Datum
words_of_form(const DpNode *node)
{
	int nest = dp_setting_plain_texts();
	char *text = dp_text_draft(linitial(dp_text_of(node, NIL, NIL, NULL)));

	AtEOXact_GUC(true, nest);
	return CStringGetTextDatum(text);
}

static bool
has_private_key(const DpQuestion *question, const Bitmapset *keys)
{
	int number = -1;

	while ((number = bms_next_member(keys, number)) >= 0)
	{
		if (!((const DpDomain *) list_nth(question->domains, number))
				 ->is_public)
			return true;
	}
	return false;
}

/* Those of the aggregates of each grouping, a line each. */
static Datum
words_of_questions(const DpQuestion *question)
{
	StringInfoData text;
	int i;

	initStringInfo(&text);
	foreach_ptr (const DpGrouping, grouping, question->groupings)
	{
		const Bitmapset *keys = grouping->keys;

		for (i = 0; i < list_length(question->aggregates); i++)
			appendStringInfo(
				&text, "%s%s", text.len == 0 ? "" : "\n",
				dp_fingerprint_description(
					dp_fingerprint_form(question, i,
										has_private_key(question, keys)),
					keys));
	}
	return CStringGetTextDatum(text.data);
}

/* The statements beneath a question, one for each of its groupings, as SQL. */
static char *
words_of_statements(DpPlanning *planning, const DpQuestion *question)
{
	StringInfoData text;

	initStringInfo(&text);
	foreach_ptr (const DpBlock, block,
				 dp_nodes_bound_question(planning, question))
	{
		const Query *inner = block->inner;

		appendStringInfo(&text, "%s%s", text.len == 0 ? "" : ";\n",
						 dp_deparsed(inner));
	}
	return text.data;
}

static void describe(const DpNode *node, Description *description);

static bool
describe_subquery(const DpExpr *expr, void *context)
{
	if (expr->kind == DP_EXPR_SUBQUERY)
	{
		((Description *) context)->depth++;
		describe(expr->subquery->rows, context);
		((Description *) context)->depth--;
	}
	return false;
}

/* A row for a node, and rows for what is beneath it. */
static void
describe(const DpNode *node, Description *description)
{
	Datum values[COUNT];
	bool nulls[COUNT] = {false};
	StringInfoData line;
	int i;

	initStringInfo(&line);
	appendStringInfoSpaces(&line, 2 * description->indent);
	dp_print_node(&line, node);
	values[NODE] = CStringGetTextDatum(line.data);
	values[COLUMNS] = words_of_columns(node);
	nulls[OWNER] = node->kind == DP_NODE_RELEASE; /* it belongs to nobody */
	values[OWNER] = words_of_owner(&node->facts->owner);
	values[EQUAL] = words_of_equal(node->facts->equal);
	values[KEYS] = words_of_keys(&node->facts->keys);
	values[FACTS] = words_of_facts(node);
	nulls[FORM] = description->depth > 0; /* it is no form by itself */
	if (!nulls[FORM])
		values[FORM] = node->kind == DP_NODE_RELEASE
						   ? words_of_questions((const DpQuestion *) node)
						   : words_of_form(node);
	nulls[STATEMENT] = node->kind != DP_NODE_RELEASE;
	if (!nulls[STATEMENT])
		values[STATEMENT] = CStringGetTextDatum(description->statement);
	tuplestore_putvalues(description->result->setResult,
						 description->result->setDesc, values, nulls);
	description->indent++;
	foreach_ptr (const DpExpr, expr, dp_node_exprs(node))
		(void) dp_expr_visit(expr, describe_subquery, description);
	for (i = 0; i < node->ninputs; i++)
		describe(node->inputs[i], description);
	description->indent--;
}

/* Describes the questions of a statement, the innermost first. */
static DpVisit
describe_questions(Node *node, const List *around, void *context)
{
	Description *description = context;
	Query *query = (Query *) node;
	DpPlanning planning = {.query_text = NULL};
	const DpQuestion *question;

	(void) around;
	if (!IsA(node, Query))
		return DP_VISIT_PARTS;
	dp_with_write_out(query);
	(void) dp_search_query(query, describe_questions, description, 0);
	if (!dp_private_aggregates_in(query))
		return DP_VISIT_NEXT;
	planning.next_parameter = dp_parameter_first(query, NULL);
	question = dp_question_read(&planning, query);
	description->statement = words_of_statements(&planning, question);
	describe(&question->node, description);
	return DP_VISIT_NEXT;
}

/*
 * (sql text) -> table (node, columns, owner, equal, keys, facts, form,
 * statement: text)
 */
Datum
dp_describe_question(PG_FUNCTION_ARGS)
{
	char *sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Description description = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	List *statements;
	ListCell *cell;
	DpPicture *picture;
	const char *text;

	if (!superuser())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be superuser to see how a question is "
							   "read")));
	InitMaterializedSRF(fcinfo, 0);
	statements = pg_parse_query(sql);
	picture = dp_picture_open();
	text = dp_refusal_set_query_text(NULL); /* positions are in another text */
	PG_TRY();
	{
		foreach (cell, statements)
			(void) dp_search((Node *) pg_analyze_and_rewrite_fixedparams(
								 lfirst(cell), sql, NULL, 0, NULL),
							 describe_questions, &description, 0);
	}
	PG_FINALLY();
	{
		(void) dp_refusal_set_query_text(text);
		dp_picture_close(picture);
	}
	PG_END_TRY();
	return (Datum) 0;
}
