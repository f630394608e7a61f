/*
 * budgets.h
 *		Budgets in the ledger worker's memory.
 *
 * They are read once and changed in memory; what is written back is the sum of
 * a batch. The budgets of a relation are kept from batch to batch until a
 * batch fails or an owner locks the relation (ledger/locks.h): nobody else
 * changes them in between. Budgets with a period are read again for each
 * batch. All are read again when any role was created, renamed or dropped, or
 * when any relation's owner has changed something, since inheritance depends
 * on present names.
 */
#ifndef DP_LEDGER_BUDGETS_H
#define DP_LEDGER_BUDGETS_H

#include "datatype/timestamp.h"
#include "nodes/pg_list.h"

#include "ledger/request.h"

typedef enum DpOnRepeat
{
	DP_ON_REPEAT_REFUSE, /* the strictest first */
	DP_ON_REPEAT_REPLAY,
	DP_ON_REPEAT_ANSWER
} DpOnRepeat;

/* A row of dp_noise_ledger.budget_entry. */
typedef struct DpBudget
{
	int64 budget_id;
	int role_id; /* 0: the table's total */
	Oid role;	 /* InvalidOid: the total, or a role now gone */
	bool shared;
	bool limited; /* false: spent is recorded, nothing refused */
	DpGrant grant;
	DpPrivacyCost
		spent; /* in all currencies, whichever the accountant counts */
	bool per_query_limited;
	DpAmount max_epsilon_per_query;
	DpAmount min_epsilon_per_query; /* of one aggregate; 0: none */
	bool failures_limited;
	int max_failures; /* after so many the budget pays for nothing more */
	int failures;	  /* since the owner forgave them; see failures.h */
	DpOnRepeat on_repeat;
	bool periodic; /* false: one period, without beginning or end */
	TimestampTz period_start;
	bool renewed; /* a new period has begun */
	bool dirty;
} DpBudget;

/* What a statement asks of a budget. */
typedef struct DpAsked
{
	DpPrivacyCost cost;
	DpAmount epsilon;		/* asked for, for the limits of a query */
	DpAmount least_epsilon; /* of its charges */
} DpAsked;

/* A protected relation and its budgets. */
typedef struct DpPaidRelation
{
	Oid oid;
	int relation_id;
	Oid owner;
	int64 settings_version;
	bool
		has_purse; /* it has no budgets of its own: those of another relation pay, ... */
	Oid purse;			   /* ... of this one; InvalidOid: that is gone */
	MemoryContext context; /* of all that is here */
	uint64 batch;		   /* the last one in which it was used */
	uint64 changes;		   /* of owners, when it was read */
	List *budgets;		   /* of DpBudget, active ones */
	List *loaded;		   /* role_ids whose budgets are in it */
} DpPaidRelation;

/* A role that pays. */
typedef struct DpPayer
{
	Oid oid;
	int role_id;		/* 0: it has no entry yet, and so no budget */
	bool has_namesakes; /* from whom it inherits */
} DpPayer;

typedef struct DpBatch
{
	uint64 number;
	List *relations;
	List *roles;
	MemoryContext context;
} DpBatch;

/*
 * The relation of a charge, or NULL when it is not protected. The worker holds
 * its lock.
 */
extern DpPaidRelation *dp_budgets_find_relation(DpBatch *batch, Oid oid);

/*
 * The relation whose budgets pay for what is asked about one: itself, or its
 * purse, whose lock the worker holds, too. NULL when that cannot pay: it is
 * gone, not protected, another owner's, or has a purse of its own.
 */
extern DpPaidRelation *dp_budgets_find_purse(DpBatch *batch,
											 DpPaidRelation *relation);

/* The role that pays. */
extern DpPayer *dp_budgets_find_payer(DpBatch *batch, Oid oid);

/* Makes an entry, with a number, for a role that has none. */
extern void dp_budgets_number(DpPayer *role);

/*
 * The active budgets that a charge lands on, a List of DpBudget. has_own:
 * whether one of them is the role's or a group's, not only the total.
 */
extern List *dp_budgets_that_pay(DpBatch *batch, DpPaidRelation *relation,
								 DpPayer *role, bool *has_own);

/*
 * Stands for the budgets of roles among those that pay. A role may leave a group
 * between a charge and what is told of it, and others may pay then.
 */
extern uint64 dp_budgets_payers(List *budgets);

/*
 * The rule for repeated questions, and since when they count: the role's own
 * budget's; otherwise the strictest rule of its groups', since the earliest of
 * their periods.
 */
extern DpOnRepeat dp_budgets_repeat_rule(List *budgets, DpPayer *role,
										 TimestampTz *since);

/* When the period of the relation's total began. */
extern TimestampTz dp_budgets_total_since(List *budgets);

/* Whether the next batch may go on with what this one has read. */
extern bool dp_budgets_may_be_kept(const DpBatch *batch);

/* Writes back the budgets that a batch changed. */
extern void dp_budgets_write(const DpBatch *batch);

#endif
