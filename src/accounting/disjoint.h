/*
 * disjoint.h
 *		The cost of several answers, each about other rows.
 *
 * Say that of some answers, drawn with independent noise, no unit counts in two:
 * counts of women and of men. Data sets that differ by a unit then differ in the
 * rows of one answer at most. The others have the same law on
 * both, so the law of all of them changes as that of one does: in pure epsilon,
 * in (epsilon, delta) and in rho (any divergence of products of laws is that of
 * the factor that differs). So all together cost, in each currency, what the
 * dearest of them does (parallel composition).
 *
 * A unit that is exchanged for another takes its rows out of one answer and puts
 * rows into one, so the laws of two change at most. Each of them is private for
 * any exchange, also for one that only takes rows out of it; together they
 * cost the sum of both, since in each currency costs of independent answers
 * add up (basic composition). So there the two dearest are added.
 *
 * Sets of answers of which any two are about other units are such: then no unit
 * counts in more than one. Some answers in several such sets cost the sum of the
 * sets: composition does not ask how these are related. So any partition is
 * sound, and a better one only costs less.
 */
#ifndef DP_ACCOUNTING_DISJOINT_H
#define DP_ACCOUNTING_DISJOINT_H

#include "accounting/account.h"

/* How many of the answers one unit can change. */
typedef enum DpTouched
{
	DP_TOUCHES_ONE = 1, /* it is added or removed */
	DP_TOUCHES_TWO = 2	/* it is exchanged */
} DpTouched;

/*
 * The cost of answers of which any two are about other rows, by the costs of
 * each: in every currency by itself. count: at least 1.
 */
extern DpPrivacyCost dp_disjoint_cost(const DpPrivacyCost *costs, int count,
									  DpTouched touched);

/*
 * Puts answers into sets of which any two are about other rows, few of them:
 * classes[i] is the number of that of answer i, from 0. are_disjoint: whether
 * two are, symmetric. order: in which they are put into sets, each into the first
 * that takes it; the dearest first, so that dear ones share. Returns how many
 * sets there are.
 */
extern int dp_disjoint_partition(const int *order, int count,
								 bool (*are_disjoint)(int one, int other,
													  const void *context),
								 const void *context, int *classes);

#endif
