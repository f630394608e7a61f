/*
 * unit_names.h
 *		Columns that name the privacy unit of a row.
 *
 * What names there are, and what they are good for, says gate/facts/owner.h.
 */
#ifndef DP_GATE_FACTS_UNIT_NAMES_H
#define DP_GATE_FACTS_UNIT_NAMES_H

#include "gate/facts/equalities.h"
#include "gate/tree/node.h"

/* Columns that name a unit. */
typedef struct DpUnitName
{
	/*
	 * Of a unit's value: the population, and of a unit that is the row the
	 * relation. Of a key: 0, and a protected relation with the columns of the
	 * key, integers, ascending.
	 */
	int32 population;
	Oid relation;
	List *key;

	/*
	 * The columns that have these values, integers from 0, beside key; of a unit
	 * that is the row, those that identify it. Of depth 0 they are the row's own.
	 * Else they are those of a row around, as in DpColumnName, and name all rows
	 * that the sub-query there finds for that row.
	 */
	int depth;
	List *columns;

	/*
	 * A value that refers to the unit along a path: it names nobody where nothing
	 * has it, so the path is to be followed still.
	 */
	bool is_referring;

	/* How many steps of a path lead from the row to what has the key. */
	int steps;

	/* Of a key: where a column is null, rows of several units may be. */
	bool is_open;
} DpUnitName;

/* The names of a protected relation's rows. */
extern List *dp_names_of_scan(const DpScan *scan);

/* Whether two are of one sort: for values, of any populations. */
extern bool dp_names_same_sort(const DpUnitName *one, const DpUnitName *other);

extern DpUnitName *dp_names_copy(const DpUnitName *name);

/* Whether a name is among others, in the same columns. */
extern bool dp_names_has(const List *names, const DpUnitName *name);

/* Whether two of one sort are equal in a row. */
extern bool dp_names_are_equal(const DpUnitName *one, const DpUnitName *other,
							   const DpEqualities *equal);

/* Names whose columns stand so many later in a row; names seen from a sub-query. */
extern List *dp_names_shift(const List *names, int columns);
extern List *dp_names_deepen(const List *names);

/* Adds the same names by columns of rows around that these equal. */
extern List *dp_names_add_around(List *names, const DpEqualities *equal);

/*
 * Whether a name's columns are all among some expressions over its row; those of
 * a row around are everywhere.
 */
extern bool dp_names_is_among(const DpUnitName *name, const DpEqualities *equal,
							  List *exprs);

/* The names whose columns are, by the numbers of these. */
extern List *dp_names_among(const List *names, const DpEqualities *equal,
							List *exprs);

/*
 * The names that all inputs of a union have in the same columns. *without: the
 * first input that has none of those before it.
 */
extern List *dp_names_of_all(const DpNode *node, int *without);

/* The first by a value of the row, or by one that refers to it; NULL: none. */
extern const DpUnitName *dp_names_find_value(const List *names,
											 bool is_referring);

/* Whether some name, of whichever row, is by a value; by a row that is a unit. */
extern bool dp_names_have_value(const List *names);
extern bool dp_names_are_of_rows(const List *names);

/*
 * Whether names of rows that meet are one unit's: by value, or by a key. Where
 * people of several populations meet, values decide if both rows have one; and
 * where units are rows.
 */
extern bool dp_names_are_one_unit(const List *names, const List *others,
								  const DpEqualities *equal, bool is_mixed);

#endif
