/*
 * look_up.h
 *		Look-ups in the extension's tables and in catalogs, under a picture.
 *
 * Private to the files that look up what the gate must know: protection.c,
 * declared.c, populations.c.
 *
 * Rows are read by index scans, not by SQL: a new session would parse and plan
 * each statement, which takes longer than all else that it does for a question.
 * No code of anybody runs, so neither rights nor settings matter.
 */
#ifndef DP_GATE_RELATIONS_LOOK_UP_H
#define DP_GATE_RELATIONS_LOOK_UP_H

#include "access/genam.h"
#include "access/skey.h"

#include "gate/relations/picture.h"

/* A scan. */
typedef struct DpLookUp
{
	Relation table;
	SysScanDesc scan;
	HeapTuple row; /* the present one */
} DpLookUp;

/*
 * Begins a scan of one of the ledger's tables, for the rows that the picture's
 * snapshot sees and whose columns have such values. index: with the columns of
 * the keys; where it cannot be used, the whole table is read. The caller ends
 * it; after an error there is nothing to be ended. Errors: undefined_table.
 */
extern void dp_look_up_begin(DpLookUp *look_up, const DpPicture *picture,
							 const char *table, const char *index, int nkeys,
							 ScanKey keys);

/* The same of a catalog. */
extern void dp_look_up_begin_catalog(DpLookUp *look_up,
									 const DpPicture *picture, Oid catalog,
									 Oid index, int nkeys, ScanKey keys);

/*
 * The next row, valid until the next call. When there is none the scan is ended,
 * and the result is false.
 */
extern bool dp_look_up_next(DpLookUp *look_up);

/* A column of the row, in its memory; of a null 0, which is no pointer. */
extern Datum dp_look_up_column(const DpLookUp *look_up, int column,
							   bool *isnull);

/* Ends a scan that has a row. */
extern void dp_look_up_end(DpLookUp *look_up);

/* The elements of an array of texts, or of names, none of which is null. */
extern List *dp_look_up_texts(Datum array);
extern List *dp_look_up_names(Datum array);

#endif
