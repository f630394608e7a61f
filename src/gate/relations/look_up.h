/*
 * look_up.h
 *		Look-ups in the extension's tables, under a picture.
 *
 * Private to the files that look up what the gate must know: protection.c,
 * declared.c, populations.c.
 */
#ifndef DP_GATE_RELATIONS_LOOK_UP_H
#define DP_GATE_RELATIONS_LOOK_UP_H

#include "executor/spi.h"

#include "gate/relations/picture.h"

/*
 * A look-up. Its plan is made once a session, for any argument; the server
 * plans it anew when what it depends on has changed.
 */
typedef struct DpLookUp
{
	const char *sql;
	int nargs;
	Oid types[3];
	SPIPlanPtr plan;
} DpLookUp;

/*
 * Runs a look-up under the picture's snapshot. One row at most is expected; its
 * columns are copied to values, in the current memory context, nulls as zeros. False
 * when there is none.
 */
extern bool dp_gate_look_up(const DpPicture *picture, DpLookUp *look_up,
							Datum *args, int ncolumns, Datum *values);

/* The elements of an array of texts. */
extern List *dp_gate_texts_of(Datum array);

/* True while the gate itself runs SQL, which it then lets pass. */
extern bool dp_gate_is_asking(void);

#endif
