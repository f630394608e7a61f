/*
 * question.c
 *		Reads a block with private aggregates as a question.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/read/question.h"
#include "gate/read/rows.h"

const DpQuestion *
dp_question_read(DpPlanning *planning, Query *block)
{
	DpScope scope = {.planning = planning, .query = block, .what = "WHERE"};
	const DpNode *rows = dp_rows_read_from(&scope);
	DpQuestion *question =
		dp_node_question(rows, NIL, NIL, NIL, NIL, rows->location);

	return (const DpQuestion *) dp_facts_add(&question->node);
}
