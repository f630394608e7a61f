/*
 * nested_tables.c
 *		The best consistent estimate from tables that refine each other.
 */
#include <math.h>
#include <stdlib.h>

#include "core/nested_tables.h"

/* What is known of a table's cells after the pass upwards. */
typedef struct Pass
{
	double *values;		 /* z */
	double *variances;	 /* v */
	double *sums;		 /* of the children's values */
	double *uncertainty; /* of their variances; 0: there are none */
} Pass;

/* Room for the numbers of all tables. NULL without memory. */
static double *
make_room(const DpNestedTable *tables, int count)
{
	int64_t all = 1;
	int i;

	for (i = 0; i < count; i++)
		all += 4 * tables[i].count;
	return calloc((size_t) all, sizeof(double));
}

/* A table's place in it. */
static Pass
pass_of(double *room, const DpNestedTable *tables, int number)
{
	int64_t size = tables[number].count;
	int i;

	for (i = 0; i < number; i++)
		room += 4 * tables[i].count;
	return (Pass){room, room + size, room + 2 * size, room + 3 * size};
}

static void
go_up(const DpNestedTable *table, Pass *pass, Pass *above)
{
	int64_t i;

	for (i = 0; i < table->count; i++)
	{
		double weight = 1 / table->variance;
		double value = table->cells[i] * weight;

		if (pass->uncertainty[i] > 0)
		{
			weight += 1 / pass->uncertainty[i];
			value += pass->sums[i] / pass->uncertainty[i];
		}
		pass->variances[i] = 1 / weight;
		pass->values[i] = value / weight;
		if (above != NULL)
		{
			above->sums[table->parents[i]] += pass->values[i];
			above->uncertainty[table->parents[i]] += pass->variances[i];
		}
	}
}

static void
go_down(const DpNestedTable *table, const Pass *pass,
		const DpNestedTable *above, const Pass *pass_above)
{
	int64_t i;

	for (i = 0; i < table->count; i++)
	{
		table->cells[i] = pass->values[i];
		if (above != NULL)
		{
			int64_t parent = table->parents[i];

			table->cells[i] +=
				(above->cells[parent] - pass_above->sums[parent]) *
				pass->variances[i] / pass_above->uncertainty[parent];
		}
	}
}

DpStatus
dp_nested_tables_agree(const DpNestedTable *tables, int count)
{
	double *room = make_room(tables, count);
	Pass above = {NULL, NULL, NULL, NULL};
	int i;

	if (room == NULL)
		return DP_OUT_OF_MEMORY;
	for (i = count - 1; i >= 0; i--)
	{
		Pass pass = pass_of(room, tables, i);

		if (i > 0)
			above = pass_of(room, tables, i - 1);
		go_up(&tables[i], &pass, i == 0 ? NULL : &above);
	}
	for (i = 0; i < count; i++)
	{
		Pass pass = pass_of(room, tables, i);

		go_down(&tables[i], &pass, i == 0 ? NULL : &tables[i - 1], &above);
		above = pass;
	}
	free(room);
	return DP_OK;
}

/* What is needed of a table's cells to find errors. */
typedef struct Below
{
	double *uncertainty; /* V; 0: there are no children */
	double *greatest;	 /* G */
	double *factors;	 /* f */
} Below;

static Below
below_of(double *room, const DpNestedTable *tables, int number)
{
	int64_t size = tables[number].count;
	int i;

	for (i = 0; i < number; i++)
		room += 4 * tables[i].count;
	return (Below){room, room + size, room + 2 * size};
}

/* Finds v and g. */
static void
errors_up(const DpNestedTable *table, const Below *below, const Below *above,
		  double *variances, double *greatest)
{
	int64_t i;

	for (i = 0; i < table->count; i++)
	{
		double weight = 1 / table->variance;
		double part = weight;

		if (below->uncertainty[i] > 0)
		{
			weight += 1 / below->uncertainty[i];
			part = fmax(part, below->greatest[i] / below->uncertainty[i] /
								  below->uncertainty[i]);
		}
		variances[i] = 1 / weight;
		greatest[i] = part / weight / weight;
		if (above != NULL)
		{
			double *most = &above->greatest[table->parents[i]];

			above->uncertainty[table->parents[i]] += variances[i];
			*most = fmax(*most, greatest[i]);
		}
	}
}

/* From v and g to what is final; variances and greatest are of all tables. */
static void
errors_down(const DpNestedTable *tables, int number, const Below *below,
			const Below *above, double **variances, double **greatest)
{
	int64_t i;

	for (i = 0; i < tables[number].count; i++)
	{
		double v = variances[number][i];
		double factor = 1;

		if (number > 0)
		{
			int64_t parent = tables[number].parents[i];
			double share = v / above->uncertainty[parent];
			double rest = 1 - above->factors[parent];
			double of_others =
				share < 1 ? rest * rest * above->greatest[parent] : 0;

			factor = 1 - share * rest;
			variances[number][i] +=
				share * share *
				(variances[number - 1][parent] - above->uncertainty[parent]);
			greatest[number][i] = fmax(
				factor * factor * greatest[number][i],
				share * share * fmax(of_others, greatest[number - 1][parent]));
		}
		if (below->uncertainty[i] > 0)
			below->factors[i] = factor * v / below->uncertainty[i];
	}
}

DpStatus
dp_nested_tables_errors(const DpNestedTable *tables, int count,
						double **variances, double **greatest)
{
	double *room = make_room(tables, count);
	Below above = {NULL, NULL, NULL};
	int i;

	if (room == NULL)
		return DP_OUT_OF_MEMORY;
	for (i = count - 1; i >= 0; i--)
	{
		Below below = below_of(room, tables, i);

		if (i > 0)
			above = below_of(room, tables, i - 1);
		errors_up(&tables[i], &below, i == 0 ? NULL : &above, variances[i],
				  greatest[i]);
	}
	for (i = 0; i < count; i++)
	{
		Below below = below_of(room, tables, i);

		errors_down(tables, i, &below, &above, variances, greatest);
		above = below;
	}
	free(room);
	return DP_OK;
}

/* A cell that is to be rounded. */
typedef struct Child
{
	int64_t parent;
	int64_t cell;
	double part; /* after the point */
} Child;

static int
compare_children(const void *a, const void *b)
{
	const Child *one = a;
	const Child *other = b;

	if (one->parent != other->parent)
		return one->parent < other->parent ? -1 : 1;
	if (one->part != other->part)
		return one->part > other->part ? -1 : 1;
	return one->cell < other->cell ? -1 : one->cell > other->cell ? 1 : 0;
}

/* Rounds the children of one cell, this many, to its value. */
static void
round_children(const Child *children, int64_t count, double *cells,
			   double above)
{
	double rest = above;
	double each;
	int64_t i;

	for (i = 0; i < count; i++)
	{
		cells[children[i].cell] = floor(cells[children[i].cell]);
		rest -= cells[children[i].cell];
	}
	each = floor(rest / (double) count);
	rest -= each * (double) count;
	for (i = 0; i < count; i++)
		cells[children[i].cell] += each + ((double) i < rest ? 1 : 0);
}

static DpStatus
round_table(const DpNestedTable *table, const DpNestedTable *above)
{
	Child *children = calloc((size_t) table->count + 1, sizeof(Child));
	int64_t first;
	int64_t i;

	if (children == NULL)
		return DP_OUT_OF_MEMORY;
	for (i = 0; i < table->count; i++)
		children[i] = (Child){table->parents[i], i,
							  table->cells[i] - floor(table->cells[i])};
	qsort(children, (size_t) table->count, sizeof(Child), compare_children);
	for (first = 0; first < table->count; first = i)
	{
		int64_t parent = children[first].parent;

		for (i = first; i < table->count && children[i].parent == parent; i++)
			;
		round_children(&children[first], i - first, table->cells,
					   above->cells[parent]);
	}
	free(children);
	return DP_OK;
}

DpStatus
dp_nested_tables_round(const DpNestedTable *tables, int count)
{
	DpStatus status = DP_OK;
	int64_t cell;
	int i;

	for (cell = 0; count > 0 && cell < tables[0].count; cell++)
		tables[0].cells[cell] = rint(tables[0].cells[cell]);
	for (i = 1; i < count && status == DP_OK; i++)
		status = round_table(&tables[i], &tables[i - 1]);
	return status;
}
