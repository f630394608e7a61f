/*
 * unit_file.c
 *		Rows of some units in a temporary file.
 *
 * A row is written as the server's minimal tuple, which begins with its length.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "executor/executor.h"

#include "gate/run/unit_file.h"
#include "server/report.h"

DpUnitFile *
dp_unit_file_make(int depth)
{
	DpUnitFile *file = palloc0(sizeof(DpUnitFile));

	file->file = BufFileCreateTemp(false);
	file->depth = depth;
	return file;
}

void
dp_unit_file_write(DpUnitFile *file, TupleTableSlot *row)
{
	bool is_copy;
	MinimalTuple tuple = ExecFetchSlotMinimalTuple(row, &is_copy);

	BufFileWrite(file->file, tuple, tuple->t_len);
	file->rows++;
	if (is_copy)
		pfree(tuple);
}

void
dp_unit_file_close(DpUnitFile *file)
{
	BufFileClose(file->file);
	if (file->buffer != NULL)
		pfree(file->buffer);
	pfree(file);
}

void
dp_unit_file_rewind(DpUnitFile *file)
{
	if (BufFileSeek(file->file, 0, 0, SEEK_SET) != 0)
		dp_report_short_file();
}

static void
make_room(DpUnitFile *file, Size size)
{
	if (size <= file->size)
		return;
	if (file->buffer != NULL)
		pfree(file->buffer);
	file->buffer = NULL;
	file->size = Max(size, 2 * file->size);
	file->buffer =
		MemoryContextAllocHuge(GetMemoryChunkContext(file), file->size);
}

bool
dp_unit_file_read(DpUnitFile *file, TupleTableSlot *row)
{
	uint32 length;
	size_t size = BufFileRead(file->file, &length, sizeof(length));
	MinimalTuple tuple;

	ExecClearTuple(row);
	if (size == 0)
		return false;
	if (size != sizeof(length) || length < sizeof(length))
		dp_report_short_file();
	make_room(file, length);
	tuple = file->buffer;
	tuple->t_len = length;
	size = length - sizeof(length);
	if (BufFileRead(file->file, (char *) tuple + sizeof(length), size) != size)
		dp_report_short_file();
	ExecForceStoreMinimalTuple(tuple, row, false);
	return true;
}

int
dp_unit_file_part(uint32 unit_hash, int depth, int parts)
{
	return (int) (murmurhash32(unit_hash + (uint32) depth) % (uint32) parts);
}
