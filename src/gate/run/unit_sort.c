/*
 * unit_sort.c
 *		Rows of units with more groups than fit into memory, in order.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "miscadmin.h"

#include "gate/run/unit_sort.h"

Tuplesortstate *
dp_unit_sort_begin(const Agg *agg, TupleDesc columns,
				   const DpUnitGroupsPlan *plan)
{
	AttrNumber *numbers = palloc((agg->numCols + 1) * sizeof(AttrNumber));
	Oid *operators = palloc((agg->numCols + 1) * sizeof(Oid));
	Oid *collations = palloc((agg->numCols + 1) * sizeof(Oid));
	bool *nulls_first = palloc0((agg->numCols + 1) * sizeof(bool));
	int count = 0;
	int i;

	for (i = 0; i < agg->numCols; i++)
	{
		if (list_nth_int(plan->are_units, i) == 0)
			continue;
		numbers[count] = agg->grpColIdx[i];
		operators[count] = list_nth_oid(plan->operators, i);
		collations[count++] = list_nth_oid(plan->collations, i);
	}
	numbers[count] = (AttrNumber) columns->natts;
	operators[count] = Int4LessOperator;
	collations[count++] = InvalidOid;
	return tuplesort_begin_heap(columns, count, numbers, operators, collations,
								nulls_first, work_mem, NULL,
								TUPLESORT_RANDOMACCESS);
}
