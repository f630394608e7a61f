/*
 * budgets.h
 *		Populations and their budgets in the ledger worker's memory.
 *
 * They are read once and changed in memory; what is written back is the sum of
 * a batch. They are kept from batch to batch until a batch fails or an owner
 * locks the population (ledger/locks.h): nobody else changes them in between.
 * Populations that have a budget with a period are read again for each batch. All
 * are read again when any role or membership was changed.
 *
 * Nothing is read whose number somebody else chooses: of a population its grant,
 * the budgets of those who ask and of their groups, and the relations that they
 * ask about.
 */
#ifndef DP_LEDGER_BUDGETS_H
#define DP_LEDGER_BUDGETS_H

#include "datatype/timestamp.h"
#include "nodes/pg_list.h"
#include "utils/hsearch.h"

#include "ledger/request.h"

/*
 * How many budgets that groups share may pay for one asker, and how many groups an
 * asker may be a member of: the worker looks at all of them, and writes them.
 */
#define DP_SHARED_BUDGETS_MAX 32
#define DP_GROUPS_MAX 1000

typedef enum DpOnRepeat
{
	DP_ON_REPEAT_REFUSE, /* the strictest first */
	DP_ON_REPEAT_REPLAY,
	DP_ON_REPEAT_ANSWER
} DpOnRepeat;

/* A row of dp_noise_ledger.budget that pays, and its row of spending. */
typedef struct DpBudget
{
	int64 budget_id; /* first: the key */
	Oid role;		 /* InvalidOid: the grant */
	bool shared;
	bool per_query_limited; /* to max_epsilon_per_query */
	bool failures_limited;	/* to max_failures */
	bool is_for_some;		/* a right to ask about these relations only */
	bool periodic;			/* false: one period, without beginning or end */
	bool dirty;
	int max_failures;	 /* after this many failures it pays for nothing more */
	int failures;		 /* since the owner forgave them; see failures.h */
	int relations_count; /* number of ... */
	int *relations;		 /* ... their member_ids, sorted */
	TimestampTz since;	 /* when the present period began */
	DpGrant grant;
	DpPrivacyCost
		spent; /* in all currencies, whichever the accountant counts */
	DpAmount max_epsilon_per_query;
	DpAmount min_epsilon_per_query; /* of one aggregate; 0: none */
} DpBudget;

/* What a statement asks of a budget. */
typedef struct DpDemand
{
	DpPrivacyCost cost;
	DpAmount epsilon;		/* asked for, for the limits of a query */
	DpAmount least_epsilon; /* of its charges */
} DpDemand;

typedef struct DpPopulation
{
	int population_id;
	char *name;
	Oid owner;
	DpAccountant accountant;
	DpOnRepeat on_repeat;
	bool shares_answers;
	int64 answers_expire; /* microseconds, as extract(epoch) says; 0: never */
	DpBudget *grant;
	MemoryContext context; /* of all that is here */
	uint64 batch;		   /* the last one in which it was used */
	uint64 changes;		   /* of owners, when it was read */
	bool periodic;		   /* a budget is */
	HTAB *members;		   /* DpMember, those that were asked about */
	HTAB *budgets;		   /* DpBudget, but for the grant */
	List *askers;		   /* of DpAsker */
} DpPopulation;

/* A relation in a population. */
typedef struct DpMember
{
	Oid relation; /* the key */
	int member_id;
	int64 settings_version;
	Oid allowed; /* its owner, when that was found to be allowed; or InvalidOid */
} DpMember;

/* A role that asks about a population. */
typedef struct DpAsker
{
	Oid role;
	int64 budget_id;   /* its own row of budget, active or not; 0: none */
	List *budgets;	   /* of DpBudget: those that pay, but for the grant */
	bool has_too_many; /* budgets or groups: then nothing can be charged */
} DpAsker;

typedef struct DpBatch
{
	uint64 number;
	MemoryContext context;
	List *populations;
	List *roles; /* of the memberships of those who ask; see askers.c */
	List *dirty; /* budgets that were changed */

	/*
	 * How many populations, roles and askers were read: if they are too many, they
	 * are forgotten after the batch.
	 */
	int kept;
} DpBatch;

/* A population; NULL when it is dropped. The worker holds its lock. */
extern DpPopulation *dp_budgets_find_population(DpBatch *batch,
												int population_id);

/* A relation of the population; NULL when it is none. */
extern DpMember *dp_budgets_find_member(DpPopulation *population, Oid relation);

/*
 * Whether the present owner of a member may have relations in the population: its
 * owner, one who is allowed to, or a superuser.
 */
extern bool dp_budgets_allow_member(DpPopulation *population, DpMember *member);

/* A role, which exists, with the budgets that pay for it, or too many. */
extern DpAsker *dp_budgets_find_asker(DpBatch *batch, DpPopulation *population,
									  Oid role);

/*
 * Stands for the budgets that pay for an asker, but for the grant. A role may leave
 * a group between a charge and what is told of it, and others may pay then.
 */
extern uint64 dp_budgets_payers(const DpAsker *asker);

/* Makes the asker's own row of budget, where there is none: no right to ask. */
extern void dp_budgets_make_own(DpPopulation *population, DpAsker *asker);

/* Whether a budget is a right to ask about a member. */
extern bool dp_budgets_are_for(const DpBudget *budget, int member_id);

/* Reads one from a row of the last statement's result (statements.h). */
extern void dp_budgets_read(uint64 row, DpAccountant accountant, DpBudget *b);

/* Notes that what is spent of a budget, or its failures, were changed. */
extern void dp_budgets_changed(DpBatch *batch, DpBudget *budget);

/* Whether the next batch may go on with what this one has read. */
extern bool dp_budgets_may_be_kept(const DpBatch *batch);

/* Forgets all that was read. */
extern void dp_budgets_forget(DpBatch *batch);

/* Writes back the budgets that a batch changed. */
extern void dp_budgets_write(DpBatch *batch);

#endif
