/*
 * collusion.h
 *		What several colluding analysts learn from their independent answers to
 *		one question of sensitivity 1.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 *
 * The trend is what Chen, Pal, Golubchik predict: the loss of one answer times
 * sqrt(2/(pi k)), (16) from (11), (17) from (12). Their (18), for geometric
 * noise, is read likewise, as sqrt(2/(pi k)) times (13), 2 alpha/(1-alpha^2).
 * It is the loss of the median of k answers, asymptotically. Better attacks
 * exist for the staircase, whose jumps reveal more, and for counts, which are
 * whole numbers. Hence the attack beside it.
 */
#ifndef DP_PLANNING_COLLUSION_H
#define DP_PLANNING_COLLUSION_H

#include <stdbool.h>

#include "core/status.h"
#include "mechanisms/mechanism.h"

#define DP_COLLUDERS_MAX 1000000

typedef struct DpCollusion
{
	double trend;  /* the papers' expected |error| */
	double attack; /* expected |error| of the attack */
} DpCollusion;

/* laplace, geometric without a quantum, staircase, discrete_staircase. */
extern bool dp_collusion_applies(const DpMechanismChoice *choice);

/*
 * Both losses for k = 1 .. DP_COLLUDERS_MAX colluders. Truncated forms count as
 * the forms without truncation. epsilon: DP_EPSILON_MIN .. DP_EPSILON_MAX.
 *
 * Attacks: on laplace and geometric noise the median, which is the likeliest
 * truth (of an even number of answers, the middle between the two median ones).
 * Its error is exact, from sums over binomial probabilities; for three answers
 * or more, other attacks are at most a few percent better. On staircase noise,
 * the attack of staircase_attack.h. Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_collusion_loss_of(const DpMechanismChoice *choice,
									 double epsilon, int colluders,
									 DpCollusion *loss);

/*
 * The epsilon of each answer at which the trend for k colluders equals the loss
 * of one answer with epsilon. This is no guarantee. For k = 1 it is epsilon
 * itself.
 */
extern double dp_epsilon_by_trend(const DpMechanismChoice *choice,
								  double epsilon, int colluders);

#endif
