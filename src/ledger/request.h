/*
 * request.h
 *		What a backend asks of the ledger worker, and what it hears.
 *
 * Both travel through a slot of shared memory as flat bytes: a request header,
 * its charges and the stored rows of their answers; then, in the same place,
 * a reply header, its outcomes and replayed rows.
 */
#ifndef DP_LEDGER_REQUEST_H
#define DP_LEDGER_REQUEST_H

#include "accounting/amount.h"

#define DP_FINGERPRINT_SIZE 32
#define DP_CHARGE_NAME 64

/* Charges in one request; a statement with more aggregates is refused. */
#define DP_CHARGES_MAX 1000

/* The price of one aggregate of a statement. */
typedef struct DpCharge
{
	Oid relation;
	unsigned char fingerprint[DP_FINGERPRINT_SIZE]; /* of the question */
	DpAmount epsilon;
	DpAmount delta;
	char aggregate[DP_CHARGE_NAME]; /* for the ledger's readers */
	char mechanism[DP_CHARGE_NAME];
	uint32 answer_size; /* bytes to store for replay; 0: none */
} DpCharge;

typedef struct DpRequest
{
	Oid role;	  /* who pays: session_user */
	uint32 count; /* of charges; all land, or none */
	bool dry_run; /* decide, but charge nothing */
	Size size;	  /* of everything, this header included */
} DpRequest;

typedef enum DpOutcome
{
	DP_OUTCOME_CHARGED, /* the answer of this statement may go out */
	DP_OUTCOME_REPLAYED /* the stored answer goes out; free */
} DpOutcome;

/* What became of one charge; the replayed answers follow the outcomes. */
typedef struct DpOutcomeEntry
{
	DpOutcome outcome;
	uint32 answer_size;
} DpOutcomeEntry;

typedef struct DpReply
{
	int sqlstate; /* 0: all charges landed or were replayed */
	Size needed;  /* more room than the request gave; else 0 */
	char message[256];
	char detail[512];
	char hint[256];
} DpReply;

#endif
