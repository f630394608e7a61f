/*
 * planning.h
 *		What belongs to the planning of one statement.
 *
 * Made by the planner hook, and handed down: no variable of a file says what is
 * being planned.
 */
#ifndef DP_GATE_TREE_PLANNING_H
#define DP_GATE_TREE_PLANNING_H

#include "nodes/params.h"
#include "nodes/parsenodes.h"

struct DpShapes;

typedef struct DpPlanning
{
	const char *query_text; /* of the statement, for positions in messages */
	ParamListInfo params;	/* what is known of its parameters; may be NULL */
	int next_parameter;		/* the first number that no parameter has */

	/*
	 * Values that are found before the question is asked: sub-queries of the
	 * asker's own, private answers, current_user. Query each, and beside it
	 * the parameter that stands for it.
	 */
	List *constants;
	List *constant_numbers;

	/* Of all relations that are read, as they were then: gate/read/read_shapes.h. */
	struct DpShapes *shapes;

	bool is_compared; /* the question stands in IN, EXISTS or the like */

	int view_depth; /* protected views that are being read */
	List *
		lenders; /* owners of populations that the outermost may lend; NIL: any */
} DpPlanning;

#endif
