/*
 * request.h
 *		Requests from a backend to the ledger worker, and the replies.
 *
 * A question takes two requests. The first charges for it, before anything of
 * the relation is read; the second stores the answers for replay, before they
 * go out. A question whose second request never came counts as asked.
 *
 * Requests and replies travel through a slot of shared memory as flat bytes: a
 * request header, its charges and the answers to store; then, in the same
 * place, a reply header, the outcomes, for a preview the budgets, and the
 * replayed answers.
 */
#ifndef DP_LEDGER_REQUEST_H
#define DP_LEDGER_REQUEST_H

#include "accounting/account.h"

#define DP_FINGERPRINT_SIZE 32
#define DP_CHARGE_NAME 64

/* Charges in one request; a statement with more aggregates is refused. */
#define DP_CHARGES_MAX 1000

/* The price of one aggregate of a statement. */
typedef struct DpCharge
{
	Oid relation;

	/*
	 * Of the relation's settings when the statement was planned: if it is
	 * another now, nothing is charged. 0: not compared.
	 */
	int64 settings_version;
	unsigned char fingerprint[DP_FINGERPRINT_SIZE]; /* of the question */
	DpAmount asked;		/* epsilon; the cost's own, if that is finite */
	DpPrivacyCost cost; /* each budget takes its own currency of it */
	char aggregate[DP_CHARGE_NAME]; /* for the ledger's readers */
	char mechanism[DP_CHARGE_NAME];

	/*
	 * Of a question with privacy levels: which one, and what the relation pays,
	 * once, for the chain of all (chain.h). Stored by another fingerprint, for
	 * all roles; the answer is the chain, and the role's own is its level.
	 */
	bool has_chain;
	unsigned char chain[DP_FINGERPRINT_SIZE];
	DpAmount chain_epsilon;
	DpAmount chain_rho;
	uint32 level;

	/*
	 * True for a further relation of the question that the charge before is
	 * for: both are replayed, or none. The reply has the answer once.
	 */
	bool is_joint;

	/*
	 * Of a relation that is read through a protected view, whose budgets pay:
	 * here the total alone does, no role needs a budget, and no question is
	 * kept.
	 */
	bool through_view;

	bool no_replay; /* refuse everything if there is a stored answer */

	/* Of a charge that was made, when its answer is stored or given up. */
	int64 ledger_id;	/* its row in the ledger */
	uint64 payers;		/* dp_budgets_payers of those that paid */
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
	DP_REQUEST_FAIL,	/* and why they have none may depend on rows */
	DP_REQUEST_NUMBER	/* no charges: the role gets its number */
} DpRequestKind;

typedef struct DpRequest
{
	DpRequestKind kind;
	Oid role;	  /* who pays: session_user; or whom to number */
	uint32 count; /* of charges; all land, or none */
	Size size;	  /* of everything, this header included */
} DpRequest;

typedef enum DpOutcome
{
	DP_OUTCOME_CHARGED,	 /* this statement may answer it */
	DP_OUTCOME_REPLAYED, /* the stored answer goes out; free */
	DP_OUTCOME_REFUSED	 /* only in previews */
} DpOutcome;

/* Why a charge is refused. */
typedef enum DpRefusal
{
	DP_REFUSAL_NONE,
	DP_REFUSAL_NOT_PROTECTED,	/* the relation is not protected */
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
	int64 ledger_id; /* charged: the row */
	uint64 payers;	 /* charged: dp_budgets_payers */
	bool has_answer; /* a replayed one; charged, stored: the chain of others */
	uint32 answer_size;
} DpOutcomeEntry;

typedef enum DpBudgetKind
{
	DP_BUDGET_OWN,
	DP_BUDGET_SHARED, /* a group's, that the role is a member of */
	DP_BUDGET_TOTAL	  /* the table's, over everyone */
} DpBudgetKind;

/*
 * A budget that would pay, and what the statement asks of it. To roles that
 * need a budget, a total is shown only where it leaves less than their own
 * budgets do, or is insufficient: then with what they can use, not with what
 * was granted and spent.
 */
typedef struct DpPreviewBudget
{
	Oid relation;
	DpBudgetKind kind;
	char role[NAMEDATALEN]; /* whose it is; of a total empty */
	bool limited;			/* false: a total that only counts what is spent */
	bool per_query_limited;
	bool is_whole; /* granted and spent are shown */
	bool suffices; /* for this statement */
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
	int role_number; /* of DP_REQUEST_NUMBER; 0: no such role */
	char message[256];
	char detail[512];
	char hint[256];
} DpReply;

#endif
