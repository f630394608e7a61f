/*
 * request.h
 *		Requests from a backend to the ledger worker, and the replies.
 *
 * A question takes two requests. The first charges for it, before anything of
 * the relation is read; the second stores the answers for replay, before they
 * go out. A question whose second request never came counts as asked.
 *
 * Requests and replies travel through a slot of shared memory as flat bytes: a
 * request header, its charges, the relations that they are about and the
 * answers to store; then, in the same place, a reply header, the outcomes, for a
 * preview the budgets, and the replayed answers.
 */
#ifndef DP_LEDGER_REQUEST_H
#define DP_LEDGER_REQUEST_H

#include "datatype/timestamp.h"

#include "accounting/account.h"

#define DP_FINGERPRINT_SIZE 32
#define DP_CHARGE_NAME 64

/* Room for the name of a population. */
#define DP_POPULATION_NAME 304

/* Charges in one request; a statement with more aggregates is refused. */
#define DP_CHARGES_MAX 1000

/* Relations in one request. */
#define DP_ASKED_RELATIONS_MAX 1000

/* A relation that a question is about. */
typedef struct DpAskedRelation
{
	Oid relation;

	/*
	 * Of the relation's settings when the statement was planned: if it is
	 * another now, nothing is charged. 0: not compared.
	 */
	int64 settings_version;
	bool
		is_named; /* the role needs a right to ask; else it is beneath a view */
} DpAskedRelation;

/*
 * The price of one aggregate of a statement, in one population. A question about
 * several populations is a charge for each, in the order of their numbers; the
 * later ones are joint.
 */
typedef struct DpCharge
{
	int population_id;

	/*
	 * The relations of this population that are asked about, in the request's
	 * list. The first one named is that of messages and of the ledger's row.
	 */
	uint32 first_relation;
	uint32 relation_count;

	/*
	 * Of the question: among all questions about the population that the role
	 * may ask, so it covers which relations are asked about, by their
	 * member_ids.
	 */
	unsigned char fingerprint[DP_FINGERPRINT_SIZE];
	DpAmount asked;		  /* epsilon; the cost's own, if that is finite */
	DpAmount least_asked; /* by one of the aggregates that it is about, if these
							* are several; else 0 */
	DpPrivacyCost cost;	  /* each budget takes its own currency of it */
	char aggregate[DP_CHARGE_NAME]; /* for the ledger's readers */
	char mechanism[DP_CHARGE_NAME];

	/*
	 * Names the draw that answers it, the same for all who ask alike: same
	 * fingerprint, populations and price, and the same law of the answer.
	 * Without one the answer is this asker's alone: where it is a selection of
	 * groups, or about groups that were taken from the asker's own answers.
	 */
	bool has_draw;
	unsigned char draw[DP_FINGERPRINT_SIZE];

	/*
	 * Of a question with privacy levels: the draw is the chain of all of them
	 * (chain.h), for which the grant pays once, and always shared. What is
	 * stored is the chain; what is told is this level of it.
	 */
	bool has_levels;
	uint32 level;
	DpAmount whole_epsilon;
	DpAmount whole_rho;

	/*
	 * True for a further population of the question that the charge before is
	 * for: what becomes of that one becomes of this. The reply has the answer
	 * once.
	 */
	bool is_joint;

	/*
	 * Groups are selected for it, so no other answer can take the place of the
	 * one that is computed: refuse everything if there is a stored one. All
	 * questions of one draw are of that kind or shared, or none is.
	 */
	bool no_replay;

	/*
	 * It was SHARED when it was tried, and only its stored answer can be used:
	 * refuse everything if that is gone. Without a draw, the charge is for the
	 * selection of groups that comes with shared answers: the role pays for it; the
	 * grant has paid for it already.
	 */
	bool only_shared;

	/* Of a charge that was made, when its answer is stored or given up. */
	int64 charge_id;	/* its row in the ledger */
	int64 claim;		/* as its result said, and ... */
	uint64 payers;		/* ... dp_budgets_payers of those that paid */
	bool has_answer;	/* bytes to store for replay, maybe of length 0 */
	uint32 answer_size; /* their number */
} DpCharge;

typedef enum DpRequestKind
{
	DP_REQUEST_CHARGE,
	DP_REQUEST_DRY_RUN, /* decide, replays included, but charge nothing */
	DP_REQUEST_PREVIEW, /* tell all there is to decide, and no answers */
	DP_REQUEST_STORE,	/* keep the answers to charges made before */
	DP_REQUEST_GIVE_UP, /* nobody saw their answers, nor will */
	DP_REQUEST_FAIL		/* and why they have none may depend on rows */
} DpRequestKind;

typedef struct DpRequest
{
	DpRequestKind kind;
	Oid role;			   /* who pays: session_user */
	uint32 count;		   /* of charges; all land, or none */
	uint32 relation_count; /* of charges made before: for messages, or 0 */
	Size size;			   /* of everything, this header included */
} DpRequest;

typedef enum DpOutcome
{
	DP_OUTCOME_CHARGED,	 /* this statement may answer it */
	DP_OUTCOME_REPLAYED, /* the stored answer goes out; free */
	DP_OUTCOME_SHARED,	 /* the answer that somebody got goes out; charged to
						  * the role, not to the grant */
	DP_OUTCOME_REFUSED	 /* only in previews */
} DpOutcome;

/* Why a charge is refused. */
typedef enum DpRefusal
{
	DP_REFUSAL_NONE,
	DP_REFUSAL_NOT_PROTECTED,	/* a relation is not in the population */
	DP_REFUSAL_CHANGED,			/* it was under other settings when planned */
	DP_REFUSAL_NO_BUDGET,		/* the role has none there */
	DP_REFUSAL_ANSWERED_BEFORE, /* the question, and on_repeat says refuse */
	DP_REFUSAL_ASKED_BEFORE,	/* the same, and its answer is not stored */
	DP_REFUSAL_ASKED_TWICE,		/* in this statement */
	DP_REFUSAL_BUDGET,			/* a budget does not bear the statement */
	DP_REFUSAL_TOO_LITTLE,		/* of epsilon, for a budget */
	DP_REFUSAL_FAILURES			/* too many questions have failed */
} DpRefusal;

/* What became of one charge. */
typedef struct DpOutcomeEntry
{
	DpOutcome outcome;
	DpRefusal refusal;
	int64 charge_id; /* charged or shared: the row of the ledger */
	TimestampTz at;	 /* replayed, shared: when the answer was stored */
	int64 claim;	 /* charged: the charge that had claimed the draw, this one
					  * or another; 0: its answer is the asker's alone */
	uint64 payers;	 /* charged or shared: dp_budgets_payers */
	bool has_answer; /* a replayed or shared one; stored: that of others */
	uint32 answer_size;
} DpOutcomeEntry;

typedef enum DpBudgetKind
{
	DP_BUDGET_OWN,
	DP_BUDGET_SHARED, /* a group's, that the role is a member of */
	DP_BUDGET_GRANT	  /* the population's, over everyone */
} DpBudgetKind;

/*
 * A budget that would pay, and what the statement asks of it. To roles that
 * need a budget, a grant is shown only where it leaves less than their own
 * budgets do, or is insufficient: then with what they can use, not with what
 * was granted and spent.
 */
typedef struct DpPreviewBudget
{
	int population_id;
	char population[DP_POPULATION_NAME]; /* its name */
	DpBudgetKind kind;
	char role[NAMEDATALEN]; /* whose it is; of a grant empty */
	bool per_query_limited;
	bool is_whole; /* granted and spent are shown */
	bool suffices; /* for this statement */

	/* What becomes of a question that is asked again; neither: it is refused. */
	bool replays;
	bool answers_anew;
	DpGrant granted;
	DpPrivacyCost spent;
	DpPrivacyCost left;	 /* before the statement; of the accountant's own */
	DpPrivacyCost asked; /* by the statement, replays not counted */
	DpAmount max_epsilon_per_query;
	DpAmount min_epsilon_per_query; /* of one aggregate; 0: none */
} DpPreviewBudget;

/* Outcomes, budgets and replayed answers follow. */
typedef struct DpReply
{
	int sqlstate;		  /* 0: all charges landed or were replayed */
	Size needed;		  /* more room than the request gave; else 0 */
	Size size;			  /* of everything, this header included */
	uint32 outcome_count; /* 0 or the request's number of charges */
	uint32 budget_count;
	char message[256];
	char detail[512];
	char hint[256];
} DpReply;

#endif
