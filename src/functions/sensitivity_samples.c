/*
 * sensitivity_samples.c
 *		The pool of rows, and the aggregate over samples of them.
 *
 * The statement names the aggregate with its schema, and casts each argument to
 * the type that it declares, so that it is the one that was asked for.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "functions/sensitivity_samples.h"
#include "samplers/reservoir.h"
#include "server/column_names.h"
#include "server/report.h"

#define FETCHED 1000 /* rows at a time */

/* The types of the arguments of an ordinary aggregate. */
static List *
argument_types(Oid aggregate)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	List *types = NIL;
	bool is_plain =
		HeapTupleIsValid(tuple) &&
		((Form_pg_aggregate) GETSTRUCT(tuple))->aggkind == AGGKIND_NORMAL;
	Oid *declared;
	int count;
	int i;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	if (!is_plain)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not an ordinary aggregate",
						format_procedure(aggregate)),
				 errhint("Write the aggregate with the types of its arguments, "
						 "such as 'public.spread(double precision)'.")));
	(void) get_func_signature(aggregate, &declared, &count);
	for (i = 0; i < count; i++)
	{
		if (get_typtype(declared[i]) == TYPTYPE_PSEUDO)
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("cannot sample an aggregate over type %s",
								   format_type_be(declared[i])),
							errhint("Write an aggregate whose arguments have "
									"actual types, not pseudo-types.")));
		types = lappend_oid(types, declared[i]);
	}
	return types;
}

/* Finds a column's type, and makes room for the pool. */
static void
open_column(DpSampleColumn *column, Oid relation, const char *name)
{
	AttrNumber number = dp_column_named(relation, name);

	if (number <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", name,
						get_rel_name(relation)),
				 errhint("Write the columns that the aggregate is over, in "
						 "the order of its arguments.")));
	column->type = get_atttype(relation, number);
	if (!OidIsValid(get_array_type(column->type)) ||
		type_is_rowtype(column->type))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("cannot sample a column of type %s",
							   format_type_be(column->type)),
						errhint("Name a column of another type.")));
	get_typlenbyvalalign(column->type, &column->length, &column->by_value,
						 &column->align);
	column->values = palloc(DP_POOL_ROWS * sizeof(Datum));
	column->nulls = palloc(DP_POOL_ROWS * sizeof(bool));
}

/* SELECT columns FROM relation */
static char *
rows_query(Oid relation, const List *columns)
{
	StringInfoData query;
	ListCell *cell;

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	foreach (cell, columns)
		appendStringInfo(&query, "%s%s", cell == list_head(columns) ? "" : ", ",
						 quote_identifier(lfirst(cell)));
	appendStringInfo(&query, " FROM %s",
					 quote_qualified_identifier(
						 get_namespace_name(get_rel_namespace(relation)),
						 get_rel_name(relation)));
	return query.data;
}

/* Puts a row into a slot, which may be free. */
static void
keep_row(DpSampler *sampler, HeapTuple row, TupleDesc desc, uint64 slot)
{
	int i;

	for (i = 0; i < sampler->columns; i++)
	{
		DpSampleColumn *column = &sampler->column[i];
		bool isnull;
		Datum value = SPI_getbinval(row, desc, i + 1, &isnull);

		if (desc->natts <= i ||
			TupleDescAttr(desc, i)->atttypid != column->type)
			elog(ERROR, "column has another type than it had");
		if (slot < sampler->rows && !column->nulls[slot] && !column->by_value)
			pfree(DatumGetPointer(column->values[slot]));
		column->nulls[slot] = isnull;
		column->values[slot] =
			isnull ? (Datum) 0
				   : datumCopy(column->length == -1
								   ? PointerGetDatum(PG_DETOAST_DATUM(value))
								   : value,
							   column->by_value, column->length);
	}
}

/* Reads all rows and keeps a random choice. */
static void
read_pool(DpSampler *sampler, const char *query)
{
	MemoryContext pool = CurrentMemoryContext;
	SPIPlanPtr plan = SPI_prepare(query, 0, NULL);
	Portal portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);

	for (;;)
	{
		uint64 i;

		SPI_cursor_fetch(portal, true, FETCHED);
		if (SPI_processed == 0)
			break;
		MemoryContextSwitchTo(pool);
		for (i = 0; i < SPI_processed; i++)
		{
			uint64_t slot;

			CHECK_FOR_INTERRUPTS();
			dp_report_status(dp_reservoir_slot(
				dp_report_random(), sampler->seen, DP_POOL_ROWS, &slot));
			sampler->seen++;
			if (slot == DP_POOL_ROWS)
				continue;
			keep_row(sampler, SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
					 slot);
			sampler->rows = Min(sampler->seen, DP_POOL_ROWS);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_freeplan(plan);
	if (sampler->rows == 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("there are no rows to sample"),
						errhint("Fill the relation first.")));
}

/* SELECT aggregate(arguments)::float8 FROM the rows in arrays */
static void
plan_aggregate(DpSampler *sampler, Oid aggregate, const List *types)
{
	StringInfoData query;
	StringInfoData from;
	Oid *arrays = palloc(sampler->columns * sizeof(Oid));
	ListCell *cell;
	int i = 0;

	initStringInfo(&query);
	initStringInfo(&from);
	appendStringInfo(&query, "SELECT CAST(%s(",
					 quote_qualified_identifier(
						 get_namespace_name(get_func_namespace(aggregate)),
						 get_func_name(aggregate)));
	foreach (cell, types)
	{
		const char *comma = i > 0 ? ", " : "";

		arrays[i] = get_array_type(sampler->column[i].type);
		appendStringInfo(&query, "%sCAST(r.c%d AS %s)", comma, i,
						 format_type_be_qualified(lfirst_oid(cell)));
		appendStringInfo(&from, "%spg_catalog.unnest($%d)", comma, i + 1);
		i++;
	}
	appendStringInfo(&query,
					 ") AS pg_catalog.float8) FROM ROWS FROM (%s) AS r (",
					 from.data);
	for (i = 0; i < sampler->columns; i++)
		appendStringInfo(&query, "%sc%d", i > 0 ? ", " : "", i);
	appendStringInfoChar(&query, ')');
	sampler->plan = SPI_prepare(query.data, sampler->columns, arrays);
	if (sampler->plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s",
			 SPI_result_code_string(SPI_result));
}

void
dp_sampler_open(DpSampler *sampler, Oid aggregate, Oid relation,
				const List *columns)
{
	List *types = argument_types(aggregate);
	ListCell *cell;
	int i = 0;

	if (list_length(columns) != list_length(types) || columns == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the aggregate has %d arguments, and %d columns are "
						"named",
						list_length(types), list_length(columns)),
				 errhint("Name a column for each argument, at least one.")));
	*sampler = (DpSampler){.columns = list_length(columns)};
	sampler->column = palloc0(sampler->columns * sizeof(DpSampleColumn));
	foreach (cell, columns)
		open_column(&sampler->column[i++], relation, lfirst(cell));
	plan_aggregate(sampler, aggregate, types);
	read_pool(sampler, rows_query(relation, columns));
}

/* The aggregate's value over this many of these rows. */
static double
value_of(DpSampler *sampler, const uint64 *rows, int count)
{
	MemoryContext caller = CurrentMemoryContext; /* SPI leaves its own */
	Datum *arguments = palloc(sampler->columns * sizeof(Datum));
	Datum *values = palloc(Max(count, 1) * sizeof(Datum));
	bool *nulls = palloc(Max(count, 1) * sizeof(bool));
	Datum result;
	double value;
	bool isnull;
	int c;
	int i;

	for (c = 0; c < sampler->columns; c++)
	{
		DpSampleColumn *column = &sampler->column[c];
		int lower = 1;

		for (i = 0; i < count; i++)
		{
			values[i] = column->values[rows[i]];
			nulls[i] = column->nulls[rows[i]];
		}
		arguments[c] = PointerGetDatum(construct_md_array(
			values, nulls, 1, &count, &lower, column->type, column->length,
			column->by_value, column->align));
	}
	if (SPI_execute_plan(sampler->plan, arguments, NULL, true, 1) !=
			SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "an aggregate did not return one row");
	result =
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the aggregate is null for some rows"),
				 errhint("Sample an aggregate that never returns null, such as "
						 "one whose final function calls coalesce.")));
	value = DatumGetFloat8(result);
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(caller);
	return value;
}

static void
draw_row(const DpSampler *sampler, uint64 *row)
{
	DpRandom *random = dp_report_random();
	DP_RECORD_PLAIN(random);

	dp_report_status(dp_random_below(random, sampler->rows, row));
}

double
dp_sampler_difference(DpSampler *sampler, int rows, DpPair pair)
{
	MemoryContext work = AllocSetContextCreate(
		CurrentMemoryContext, "dp_noise sample", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	uint64 *drawn = palloc((Size) rows * sizeof(uint64));
	double one;
	double other;
	double difference;
	int i;

	for (i = 0; i < rows; i++)
		draw_row(sampler, &drawn[i]);
	one = value_of(sampler, drawn, rows);
	if (pair == DP_PAIR_SUBSTITUTE)
	{
		draw_row(sampler, &drawn[rows - 1]);
		other = value_of(sampler, drawn, rows);
	}
	else
		other = value_of(sampler, drawn, rows - 1);
	difference = fabs(one - other);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return isnan(difference) ? INFINITY : difference;
}
