/*
 * order.h
 *		Whether a result could depend on the order in which rows are read, and
 *		so on other people's rows.
 *
 * It could: row_number() over rows that its ORDER BY does not tell apart; which
 * of 1.0 and 1.00 stands for a group; the last digits of a sum of floating-point
 * numbers. Where there is a form that does not depend on it, that is written back
 * (gate/tree/aggregates.h): one form stands for equal values, floating-point
 * values are added in their order, and windows are sorted by all further columns
 * that the query names. Rows that are equal even then may be in any order. Where
 * there is no such form, the node depends on the order, and is refused.
 */
#ifndef DP_GATE_FACTS_ORDER_H
#define DP_GATE_FACTS_ORDER_H

#include "gate/tree/node.h"

typedef struct DpOrderFact
{
	bool depends;	  /* it may */
	int location;	  /* of what does */
	const char *what; /* for the message: as dp_refusal_raise has it; NULL */
	const char *hint;
} DpOrderFact;

/*
 * Of a node alone, not of its inputs. Which columns a query names is known in the
 * project above its windows, or in the distinct rows: what these say of it is the
 * fact of that.
 */
extern DpOrderFact dp_order_of(const DpNode *node);

/*
 * True for a window function whose result depends on the order of rows that the
 * window's ORDER BY does not tell apart, and which get a window that does.
 */
extern bool dp_order_matters_to(const DpExpr *call, const DpWindowFrame *frame);

/* True where values of an expression that are equal are the same. */
extern bool dp_order_has_one_form(const DpExpr *expr);

/*
 * True where a call has equal results for equal values of an argument, the others being
 * constants: of 1.0 and 1.00 for their sum with 1, not for their texts.
 */
extern bool dp_order_keeps_equality(const DpExpr *call, const DpExpr *argument);

#endif
