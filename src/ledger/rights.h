/*
 * rights.h
 *		Whether a question may be asked at all.
 */
#ifndef DP_LEDGER_RIGHTS_H
#define DP_LEDGER_RIGHTS_H

#include "ledger/budgets.h"
#include "ledger/store.h"

/*
 * Whether the relations of a charge are in its population, as they were when the
 * statement was planned, and the asker may ask about them; otherwise the reply says
 * why not. *member_id: of the relation that is named first.
 */
extern DpRefusal dp_rights_check(const DpStoreRequest *request, uint32 number,
								 DpPopulation *population, const DpAsker *asker,
								 int *member_id, DpReply *refusal);

/*
 * Whether a role is a member of the population's owner, or a superuser: it asks
 * without a budget and sees the grant.
 */
extern bool dp_rights_are_owners(const DpPopulation *population, Oid role);

/* The reply to a charge whose population is not there. */
extern DpRefusal dp_rights_refuse_unprotected(DpReply *refusal);

/*
 * What a charge is about, for messages: the relation that is named first. Where the
 * request does not say (of charges that were made), the population, or where that
 * is NULL, its number.
 */
extern const char *dp_rights_subject(const DpStoreRequest *request,
									 uint32 number,
									 const DpPopulation *population);

#endif
