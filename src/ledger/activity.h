/*
 * activity.h
 *		What the ledger workers did since the server's start, a row a database:
 *		for those who watch the server.
 *
 * It counts questions and how long their askers waited, and keeps nothing of what
 * was asked. The numbers are lost when the server ends, and those of the database
 * that was quiet for longest where there are too many: since tells it.
 */
#ifndef DP_LEDGER_ACTIVITY_H
#define DP_LEDGER_ACTIVITY_H

#include "datatype/timestamp.h"

struct DpStoreRequest;

/* Databases that are counted at once; one that has a worker is. */
#define DP_ACTIVITIES_MAX 64

/* What became of requests, in the order of the view's columns. */
typedef enum DpDeed
{
	DP_DEED_CHARGED,  /* statements of which somebody paid for something */
	DP_DEED_REPEATED, /* statements that were answered before, free */
	DP_DEED_REFUSED, /* statements that somebody may not ask, or not any more */
	DP_DEED_ERROR,	 /* statements that the ledger could not decide on */
	DP_DEED_PREVIEWED, /* looked at by EXPLAIN and the like */
	DP_DEED_STORED,	   /* statements whose answers were stored */
	DP_DEED_FAILED,	   /* charged ones that ended in errors, counted */
	DP_DEEDS
} DpDeed;

typedef struct DpActivity
{
	Oid database;
	TimestampTz since; /* when counting began */
	TimestampTz last;  /* when a request was counted, or counting began */
	uint64 deeds[DP_DEEDS];

	/* By those who were charged, answered again or refused, in microseconds. */
	uint64 waited;
	uint64 longest;
} DpActivity;

/*
 * Makes room for the database of this worker, whose entry (slots.h) is there. The
 * slots' lock is held.
 */
extern void dp_activity_begin(Oid database);

/*
 * Counts a request that is about to be replied to. What is counted is seen after
 * dp_activity_publish, which the worker calls once a batch.
 */
extern void dp_activity_count(const struct DpStoreRequest *request);
extern void dp_activity_publish(void);

#endif
