/*
 * statements.h
 *		The SQL of the ledger worker, for what is rare: see rows.h.
 */
#ifndef DP_LEDGER_STATEMENTS_H
#define DP_LEDGER_STATEMENTS_H

#include "accounting/amount.h"

/* Statements, prepared at first use and kept while the worker lives. */
typedef enum DpStatement
{
	DP_STATEMENT_NOTICE_PLACE,
	DP_STATEMENT_IS_DISPLACED,
	DP_STATEMENT_IS_COPY,
	DP_STATEMENT_FIND_POPULATION,
	DP_STATEMENT_SELECT_GRANT,
	DP_STATEMENT_SELECT_BUDGETS,
	DP_STATEMENT_MAKE_BUDGET,
	DP_STATEMENT_FIND_MEMBER,
	DP_STATEMENT_FIND_ALLOWANCE,
	DP_STATEMENT_COUNT
} DpStatement;

/* Executes a statement through SPI, to which the caller is connected. */
extern void dp_statement_execute(DpStatement statement, Datum *values,
								 const char *nulls);

/* A column (from 1) of a row (from 0) of the last result. */
extern Datum dp_statement_column(uint64 row, int number, bool *isnull);

/* An amount column; false for NULL. Grants are rounded down, all else up. */
extern bool dp_statement_amount(uint64 row, int number, bool up,
								DpAmount *amount);

extern Datum dp_bytes_datum(const void *bytes, Size size);

#endif
