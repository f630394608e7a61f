/*
 * bounded_column.h
 *		A column between bounds, and what is computed from its values.
 */
#ifndef DP_GATE_QUESTION_KEYS_BOUNDED_COLUMN_H
#define DP_GATE_QUESTION_KEYS_BOUNDED_COLUMN_H

#include "gate/question/relations/relations.h"
#include "server/ordered_type.h"

/* A column with its bounds. */
typedef struct DpBounded
{
	Var *column;
	Oid type; /* a base type */
	const DpOrderedType *ordered;
	Datum bounds[2]; /* numeric, as declared */
	bool has_numbers;
	int64 numbers[2]; /* of integers, dates and times: within the bounds */
	bool is_declared; /* by the owner */
	bool is_stated;	  /* by conditions of the question, at both ends */
	bool is_null_out; /* the conditions exclude null */
} DpBounded;

/*
 * The bounds of a column; false without, and where it can have none. *missing:
 * how they are declared, where they would do.
 */
extern bool dp_gate_find_bounds(Var *column, const DpRelations *relations,
								DpBounded *bounded, char **missing);

/* A number as a value of the column; a bound as one, 0 the lower. */
extern Datum dp_gate_bounded_value(const DpBounded *bounded, int64 number);
extern Const *dp_gate_bound_of(const DpBounded *bounded, int side);

/* A value that is not null. */
extern Const *dp_gate_constant_of(Oid type, int32 typmod, Datum value);

/*
 * An expression as it is computed for a row, of a value in the column's place.
 */
extern Node *dp_gate_image_of(Node *expression, const Var *column, Node *value);

#endif
