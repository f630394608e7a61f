/*
 * median_error.h
 *		The error of the median of several independent answers to one question
 *		of sensitivity 1. The median of an even number of answers is the middle
 *		between the two median ones.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 */
#ifndef DP_PLANNING_MEDIAN_ERROR_H
#define DP_PLANNING_MEDIAN_ERROR_H

/* The expected |error| of the median of this many answers, exactly. */
extern double dp_laplace_median_error(double epsilon, int answers);
extern double dp_geometric_median_error(double epsilon, int answers);

/*
 * sqrt(k) times the standard deviation of the median of k answers with
 * staircase noise, for large k: 1 / (2 f(0)), f the density.
 */
extern double dp_staircase_median_deviation(double epsilon, double gamma);

#endif
