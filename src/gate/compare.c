/*
 * compare.c
 *		Both readings of a block, side by side: for `make compare` alone.
 */
#include "postgres.h"

#ifdef DP_COMPARE

#include "access/parallel.h"
#include "access/xact.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "gate/compare.h"
#include "gate/compare_fingerprints.h"
#include "gate/facts/domain.h"
#include "gate/facts/facts.h"
#include "gate/question/expressions/constants.h"
#include "gate/question/keys/grouping_family.h"
#include "gate/question/keys/grouping_sets.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/publics.h"
#include "gate/read/question.h"

/* What became of reading a block. */
typedef struct Reading
{
	const char *text;			/* of the statement */
	ParamListInfo params;		/* what is known of its parameters */
	bool is_read;				/* the rest holds */
	const DpQuestion *question; /* NULL: it was refused */
	Query *block; /* over the released rows, if there is one grouping */
	Query *split; /* the same by the old reading */
	ErrorData *error;
	int grouping; /* which of the question's is compared */
	int others;	  /* how many groupings are still to come */
} Reading;

/*
 * The block between dp_compare_is_protected and dp_compare_split. There is no
 * other planning in between.
 */
static Reading latest;

/*
 * The query whose groupings are being read: one block after the other, nothing
 * else in between.
 */
static Reading family;

/*
 * Reads a copy of a query. What reading it leaves behind after an error, such as
 * open relations, is undone with a subtransaction.
 */
static Reading
read_question(const Query *query, const char *text, ParamListInfo params)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	Reading reading = {.text = text, .params = params};
	const DpQuestion *volatile question = NULL;
	ErrorData *volatile error = NULL;
	DpPlanning *planning = palloc0(sizeof(DpPlanning));
	Query *copy = copyObject((Query *) query);

	if (IsInParallelMode())
		return reading;
	planning->query_text = text;
	planning->params = params;
	planning->next_parameter = dp_gate_first_constant(copy, params) + 100;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		question = dp_question_read(planning, copy);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (error != NULL)
		RollbackAndReleaseCurrentSubTransaction();
	else
		ReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	reading.question = question;
	reading.block = query->groupingSets == NIL ? copy : NULL;
	reading.error = error;
	reading.is_read = true;
	return reading;
}

/* The functions that compare and log. */

/* A text on one line. */
static const char *
on_a_line(const char *text)
{
	StringInfoData line;
	bool is_space = false;

	initStringInfo(&line);
	for (; text != NULL && *text != '\0'; text++)
	{
		if (strchr(" \t\r\n", *text) == NULL)
			appendStringInfoChar(&line, *text);
		else if (!is_space)
			appendStringInfoChar(&line, ' ');
		is_space = strchr(" \t\r\n", *text) != NULL;
	}
	return line.data;
}

static const char *
words_of(const ErrorData *error)
{
	if (error == NULL)
		return "answered";
	if (error->sqlerrcode == ERRCODE_INTERNAL_ERROR)
		return on_a_line(psprintf("error %s (%s:%d)", error->message,
								  error->filename, error->lineno));
	return on_a_line(
		psprintf("%s: %s / %s / %s @%d", unpack_sql_state(error->sqlerrcode),
				 error->message, error->detail == NULL ? "" : error->detail,
				 error->hint == NULL ? "" : error->hint, error->cursorpos));
}

static void
note(const Reading *reading, const char *kind, const char *old_words,
	 const char *new_words)
{
	ereport(LOG,
			(errhidecontext(true), errhidestmt(true),
			 errmsg_internal("tree: differs: %s | old: %s | new: %s | %s", kind,
							 old_words, new_words, on_a_line(reading->text))));
}

/* In what two verdicts differ; NULL: they are the same. */
static const char *
difference_of(const ErrorData *old, const ErrorData *new)
{
	if (old == NULL && new == NULL)
		return NULL;
	if (new != NULL &&new->sqlerrcode == ERRCODE_INTERNAL_ERROR &&
		(old == NULL || old->sqlerrcode != ERRCODE_INTERNAL_ERROR))
		return "fails";
	if (old == NULL)
		return "refused by new";
	if (new == NULL)
		return "answered by new";
	if (strcmp(old->message, new->message) != 0 ||
		old->sqlerrcode != new->sqlerrcode)
		return "other refusal";
	if (strcmp(old->hint == NULL ? "" : old->hint,
			   new->hint == NULL ? "" : new->hint) != 0 ||
		strcmp(old->detail == NULL ? "" : old->detail,
			   new->detail == NULL ? "" : new->detail) != 0)
		return "other hint";
	return old->cursorpos == new->cursorpos ? NULL : "other position";
}

static bool
differs(const Reading *reading, const char *what, const char *old_words,
		const char *new_words)
{
	if (strcmp(old_words, new_words) == 0)
		return false;
	note(reading, what, old_words, new_words);
	return true;
}

static const char *
words_of_integers(const List *list)
{
	StringInfoData words;
	ListCell *cell;

	initStringInfo(&words);
	foreach (cell, list)
		appendStringInfo(&words, " %d", lfirst_int(cell));
	return words.data;
}

static const DpGrouping *
grouping_of(const Reading *reading)
{
	return list_nth(reading->question->groupings, reading->grouping);
}

static const char *
words_of_contribution(DpContribution contribution, bool several, bool one_row,
					  bool one_group)
{
	return psprintf(
		"%s%s%s rows %u groups %u%s", several ? "several" : "one",
		several && one_row ? " one-row" : "",
		several && one_group && contribution.groups > 0 ? " one-group" : "",
		contribution.rows, contribution.groups,
		contribution.neighbours == DP_SUBSTITUTE ? " substitute" : "");
}

static const char *
words_of_call(Oid function, int nargs, Datum *values, bool *nulls, Oid *types,
			  bool *is_constant)
{
	StringInfoData words;
	int i;

	initStringInfo(&words);
	appendStringInfo(&words, "%s(", get_func_name(function));
	for (i = 0; i < nargs; i++)
	{
		Oid output;
		bool varlena;

		appendStringInfoString(&words, i == 0 ? "" : ", ");
		if (!is_constant[i])
			appendStringInfoString(&words, "*");
		else if (nulls[i])
			appendStringInfoString(&words, "null");
		else
		{
			getTypeOutputInfo(types[i], &output, &varlena);
			appendStringInfoString(&words,
								   OidOutputFunctionCall(output, values[i]));
		}
	}
	appendStringInfo(&words, ")#%u", function);
	return words.data;
}

static const char *
words_of_old_aggregate(const Aggref *aggref)
{
	Datum values[FUNC_MAX_ARGS];
	bool nulls[FUNC_MAX_ARGS];
	bool are_constant[FUNC_MAX_ARGS];
	Oid types[FUNC_MAX_ARGS];
	int count = 0;
	ListCell *cell;

	foreach (cell, aggref->args)
	{
		const Const *constant =
			(const Const *) lfirst_node(TargetEntry, cell)->expr;

		are_constant[count] = IsA(constant, Const) && count > 0;
		if (are_constant[count])
		{
			values[count] = constant->constvalue;
			nulls[count] = constant->constisnull;
			types[count] = constant->consttype;
		}
		count++;
	}
	return words_of_call(aggref->aggfnoid, count, values, nulls, types,
						 are_constant);
}

static const char *
words_of_new_aggregate(const DpAsked *asked)
{
	Datum values[FUNC_MAX_ARGS];
	bool nulls[FUNC_MAX_ARGS];
	bool are_constant[FUNC_MAX_ARGS];
	Oid types[FUNC_MAX_ARGS];
	int count = 0;
	ListCell *cell;

	foreach (cell, asked->args)
	{
		const DpExpr *expr = lfirst(cell);

		are_constant[count] = expr->kind == DP_EXPR_CONSTANT && count > 0;
		if (are_constant[count])
		{
			values[count] = expr->constant.value;
			nulls[count] = expr->constant.isnull;
			types[count] = expr->type.oid;
		}
		count++;
	}
	return words_of_call(asked->aggref->aggfnoid, count, values, nulls, types,
						 are_constant);
}

static bool
differs_in_aggregates(const Reading *reading, const DpBlock *block)
{
	const List *old = block->outline.aggregates;
	const List *new = grouping_of(reading)->is_keys_alone
						  ? NIL
						  : reading->question->aggregates;
	ListCell *one;
	ListCell *other;

	if (differs(reading, "number of aggregates",
				psprintf("%d", list_length(old)),
				psprintf("%d", list_length(new))))
		return true;
	forboth (one, old, other, new)
	{
		if (differs(reading, "aggregate", words_of_old_aggregate(lfirst(one)),
					words_of_new_aggregate(lfirst(other))))
			return true;
	}
	return false;
}

static const char *
words_of_domain(bool is_public, bool is_open, bool is_nullable, int sources,
				const char *words, const char *missing)
{
	if (!is_public)
		return psprintf("private, missing %s",
						missing == NULL ? "nothing" : missing);
	return psprintf("public%s%s, %d sources, %s", is_open ? " open" : "",
					is_nullable ? " nullable" : "", sources, words);
}

static bool
differs_in_keys(const Reading *reading, const DpBlock *block)
{
	const List *old = block->outline.keys;
	const DpQuestion *new = reading->question;
	const DpGrouping *grouping = grouping_of(reading);
	int number = -1;
	ListCell *cell;

	if (differs(reading, "number of keys", psprintf("%d", list_length(old)),
				psprintf("%d", bms_num_members(grouping->keys))))
		return true;
	foreach (cell, old)
	{
		const DpKey *key = lfirst(cell);
		const DpDomain *domain;

		number = bms_next_member(grouping->keys, number);
		domain = list_nth(new->domains, number);
		if (differs(reading, "key",
					words_of_domain(key->is_public, key->is_open,
									key->is_nullable, list_length(key->sources),
									key->domain, key->missing),
					words_of_domain(domain->is_public, domain->is_open,
									domain->is_nullable,
									list_length(domain->sources), domain->words,
									domain->missing)))
			return true;
	}
	return false;
}

static const char *
words_of_ends(const DpEnds *ends)
{
	return psprintf("%s of%s, %d levels", words_of_integers(ends->sides),
					words_of_integers(ends->aggnos), list_length(ends->levels));
}

/* What is computed from the released rows. */
static bool
differs_in_outputs(const Reading *reading)
{
	if (reading->block == NULL || reading->split == NULL)
		return false;
	if (!equal(reading->block->targetList, reading->split->targetList))
	{
		note(reading, "outputs", nodeToString(reading->split->targetList),
			 nodeToString(reading->block->targetList));
		return true;
	}
	if (!equal(reading->block->havingQual, reading->split->jointree->quals))
	{
		note(reading, "HAVING", nodeToString(reading->split->jointree->quals),
			 nodeToString(reading->block->havingQual));
		return true;
	}
	return false;
}

static bool
differs_in_price(const Reading *reading, const DpBlock *block)
{
	const DpOutline *old = &block->outline;
	const DpQuestion *new = reading->question;
	const DpGrouping *grouping = grouping_of(reading);

	return differs(reading, "populations",
				   words_of_integers(old->relations.populations),
				   words_of_integers(new->node.facts->owner.populations)) ||
		   differs_in_keys(reading, block) ||
		   differs(
			   reading, "contribution",
			   words_of_contribution(old->contribution, old->relations.several,
									 old->relations.one_row,
									 old->relations.one_group),
			   words_of_contribution(grouping->contribution, new->several,
									 grouping->one_row, grouping->one_group)) ||
		   differs(reading, "groupings", old->are_of_one ? "of one" : "apart",
				   new->are_of_one ? "of one" : "apart") ||
		   differs_in_aggregates(reading, block) ||
		   differs(reading, "levels", psprintf("%d", list_length(old->levels)),
				   psprintf("%d", list_length(new->levels))) ||
		   differs(reading, "ends", words_of_ends(old->ends),
				   words_of_ends(new->ends)) ||
		   differs_in_outputs(reading);
}

/*
 * old: the error by which the block was refused before, or NULL; block: NULL
 * where there is nothing else to compare with.
 */
static bool
is_same(const Reading *reading, const ErrorData *old, const DpBlock *block)
{
	const char *difference = difference_of(old, reading->error);

	if (difference != NULL)
	{
		note(reading, difference, words_of(old), words_of(reading->error));
		return false;
	}
	return reading->question == NULL || block == NULL ||
		   !differs_in_price(reading, block);
}

static void
compare(const Reading *reading, const ErrorData *old, const DpBlock *block)
{
	if (!reading->is_read)
		return;
	if (is_same(reading, old, block))
		ereport(LOG, (errhidecontext(true), errhidestmt(true),
					  errmsg_internal("tree: same")));
}

/* What an error would have said. */
static ErrorData *
error_of(MemoryContext context)
{
	MemoryContext before = MemoryContextSwitchTo(context);
	ErrorData *error = CopyErrorData();

	MemoryContextSwitchTo(before);
	return error;
}

/* Whether there is a block in a query's FROM or expressions. */
static bool
has_blocks_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return dp_gate_asks((Query *) node);
	return expression_tree_walker(node, has_blocks_walker, context);
}

static bool
has_blocks(Query *query)
{
	return query_tree_walker(query, has_blocks_walker, NULL, 0);
}

void
dp_compare_expand_groupings(Query *query, const char *text,
							ParamListInfo params)
{
	MemoryContext context = CurrentMemoryContext;

	family = (Reading){.text = text};
	if (!has_blocks(query))
		family = read_question(query, text, params);
	PG_TRY();
	{
		dp_gate_expand_groupings(query);
	}
	PG_CATCH();
	{
		compare(&family, error_of(context), NULL);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (!query->hasAggs) /* there are several */
		family.others = list_length(
			linitial_node(RangeTblEntry, query->rtable)->subquery->rtable);
}

/* The question of a block: of one of several groupings, that of all of them. */
static Reading
reading_of(Query *query, const char *text, ParamListInfo params)
{
	if (dp_gate_family_keys(query) == NIL)
		return read_question(query, text, params);
	family.others--;
	return family;
}

bool
dp_compare_is_protected(Query *query, const char *text, ParamListInfo params)
{
	MemoryContext context = CurrentMemoryContext;
	bool result = false;

	latest = (Reading){.text = text};
	if (!dp_gate_reads_protected(query))
		return false;
	latest = reading_of(query, text, params);
	PG_TRY();
	{
		result = dp_gate_block_is_protected(query);
	}
	PG_CATCH();
	{
		compare(&latest, error_of(context), NULL);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return result;
}

void
dp_compare_split(Query *query, int64 number, DpBlock *block)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		dp_gate_block_split(query, number, block);
	}
	PG_CATCH();
	{
		compare(&latest, error_of(context), NULL);
		PG_RE_THROW();
	}
	PG_END_TRY();
	latest.split = query;
	if (latest.error == NULL || latest.others == 0)
		compare(&latest, NULL, block);
	if (latest.question != NULL)
		dp_compare_fingerprints(latest.question, grouping_of(&latest)->keys,
								block, latest.params, on_a_line(latest.text));
	family.grouping++;
}

#endif
