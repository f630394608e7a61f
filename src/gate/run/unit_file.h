/*
 * unit_file.h
 *		Rows of some units in a temporary file.
 */
#ifndef DP_GATE_RUN_UNIT_FILE_H
#define DP_GATE_RUN_UNIT_FILE_H

#include "executor/tuptable.h"
#include "storage/buffile.h"

typedef struct DpUnitFile
{
	BufFile *file;
	uint64 rows;
	int depth;	  /* how often rows were divided until this part; 0: not yet */
	void *buffer; /* holds the row that was read last */
	Size size;	  /* for which the buffer has room */
} DpUnitFile;

extern DpUnitFile *dp_unit_file_make(int depth);
extern void dp_unit_file_write(DpUnitFile *file, TupleTableSlot *row);
extern void dp_unit_file_close(DpUnitFile *file);

/* To be called before it is read for the first time, or again. */
extern void dp_unit_file_rewind(DpUnitFile *file);

/* The next row, in a slot of any kind; false at the end. */
extern bool dp_unit_file_read(DpUnitFile *file, TupleTableSlot *row);

/*
 * The part, of this many, that a unit's rows belong to, by its hash. Each depth puts
 * other units together.
 */
extern int dp_unit_file_part(uint32 unit_hash, int depth, int parts);

#endif
