/*
 * stack.h
 *		Stack reserved for expressions.
 */
#ifndef DP_EXPRESSIONS_STACK_H
#define DP_EXPRESSIONS_STACK_H

/*
 * Raises an error where a question would have little stack left. The server
 * matches LIKE patterns and reads json recursively. A caller who has used up
 * the stack to a chosen depth could otherwise learn, from the server's error,
 * that some row made the recursion go deeper.
 *
 * Errors: statement_too_complex.
 */
extern void dp_stack_reserve(void);

#endif
