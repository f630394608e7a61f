/*
 * plain_type.h
 *		The server's own types of plain values, and what each is good for.
 *
 * One table for all lists of types that are known to be safe for something. A type
 * that is not in it is good for nothing; whoever adds one says what holds of it.
 * Domains are not looked through, and enums are not in it: callers that take them
 * say so.
 */
#ifndef DP_SERVER_PLAIN_TYPE_H
#define DP_SERVER_PLAIN_TYPE_H

typedef enum DpPlainType
{
	DP_PLAIN_NUMBER = 1 << 0,

	/* No user's code makes, compares or prints its values. */
	DP_PLAIN_FOLDED = 1 << 1,

	/* Values can be sorted and told apart by all rows: no look-ups. */
	DP_PLAIN_SORTABLE = 1 << 2,

	/* Its btree operators compare by an order of the server's own. */
	DP_PLAIN_ORDERED = 1 << 3,

	/* Owners may declare values of it, which are kept as texts. */
	DP_PLAIN_DECLARED = 1 << 4,

	/* Equal values are the same, so that one stands for another. */
	DP_PLAIN_EXACT = 1 << 5
} DpPlainType;

/* Whether a type is good for this. */
extern bool dp_plain_type_is(Oid type, DpPlainType use);

#endif
