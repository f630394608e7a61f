/*
 * result_row.h
 *		The row that an SQL function returns.
 */
#ifndef DP_SERVER_RESULT_ROW_H
#define DP_SERVER_RESULT_ROW_H

#include "fmgr.h"

/* A row of the function's result type; values and nulls: of its columns. */
extern Datum dp_result_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

#endif
