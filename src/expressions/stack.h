/*
 * stack.h
 *		Room on the stack for what expressions do.
 */
#ifndef DP_EXPRESSIONS_STACK_H
#define DP_EXPRESSIONS_STACK_H

/*
 * Refuses to go on where a question would have little of the stack left. A
 * pattern of LIKE is followed, and json read, by functions that call
 * themselves, and a caller who has used the stack up to a chosen depth could
 * learn from the server's error that a row had them go deeper.
 *
 * Errors: statement_too_complex.
 */
extern void dp_stack_reserve(void);

#endif
