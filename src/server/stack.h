/*
 * stack.h
 *		Stack for questions and for expressions over their rows.
 */
#ifndef DP_SERVER_STACK_H
#define DP_SERVER_STACK_H

/*
 * Raises an error where a question would have little stack left. The server
 * matches LIKE patterns and reads json recursively. A caller who has used up
 * the stack to a chosen depth could otherwise learn, from the server's error,
 * that some row made the recursion go deeper. Where there is no memory for the
 * stack, it raises an error, too: the kernel would end the process later.
 *
 * Errors: statement_too_complex, out_of_memory.
 */
extern void dp_stack_reserve(void);

/*
 * To be called where a function that reads or rewrites a question calls itself,
 * in place of check_stack_depth(): the statement can also be cancelled there.
 */
extern void dp_stack_enter(void);

#endif
