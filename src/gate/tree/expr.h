/*
 * expr.h
 *		Expressions over rows, as a typed tree.
 *
 * An expression belongs to a node of a tree (gate/tree/node.h) and is computed
 * for each row that the node's expressions see. Its columns name that row's by
 * number. What depends on the kind of an expression stands in one table, a row
 * a kind (gate/tree/kinds.h).
 *
 * Expressions never change once they are made, and may be shared.
 */
#ifndef DP_GATE_TREE_EXPR_H
#define DP_GATE_TREE_EXPR_H

#include "nodes/parsenodes.h"

#include "server/lists.h"

struct DpNode;

typedef enum DpExprKind
{
	DP_EXPR_COLUMN,
	DP_EXPR_CONSTANT,
	DP_EXPR_PARAMETER,
	DP_EXPR_MOMENT,
	DP_EXPR_CALL,
	DP_EXPR_RELABEL,
	DP_EXPR_CAST_BY_TEXT,
	DP_EXPR_AND,
	DP_EXPR_OR,
	DP_EXPR_NOT,
	DP_EXPR_NULL_TEST,
	DP_EXPR_TRUTH_TEST,
	DP_EXPR_DISTINCT,
	DP_EXPR_NULLIF,
	DP_EXPR_CASE,
	DP_EXPR_CASE_SUBJECT,
	DP_EXPR_COALESCE,
	DP_EXPR_GREATEST,
	DP_EXPR_LEAST,
	DP_EXPR_ARRAY,
	DP_EXPR_ELEMENT,
	DP_EXPR_ANY,
	DP_EXPR_ALL,
	DP_EXPR_SUBQUERY,
	DP_EXPR_COMPARED,
	DP_EXPR_AGGREGATE,
	DP_EXPR_WINDOW_CALL,
	DP_EXPR_KINDS
} DpExprKind;

/* A type as the server tells types apart. */
typedef struct DpType
{
	Oid oid;
	int32 typmod;
	Oid collation;
} DpType;

/* A column of the row that a node's expressions see. */
typedef struct DpColumnName
{
	/*
	 * How many sub-query expressions stand between the column and the row: 0
	 * is the node's own row, 1 that of the node whose expression has the
	 * sub-query in which this one is, and so on.
	 */
	int depth;
	int number; /* of the row's columns, from 0 */
} DpColumnName;

/* A sub-query in an expression. */
typedef struct DpSubquery
{
	SubLinkType
		form; /* EXISTS_SUBLINK, ANY_SUBLINK, ALL_SUBLINK, EXPR_SUBLINK */

	/*
	 * Its rows. Expressions in it see this node's row at depth 1. The
	 * comparison of ANY and ALL is the expression's only argument; in it,
	 * DP_EXPR_COMPARED is a column of these rows.
	 */
	const struct DpNode *rows;
} DpSubquery;

/* An aggregate or a window function of the server's own, within a unit's rows. */
typedef struct DpTotal
{
	Oid function;
	bool is_distinct;
	const struct DpExpr *filter; /* NULL: all rows count */
	Aggref *aggref;		/* as it was written, without its arguments; or NULL */
	WindowFunc *window; /* as it was written, without its arguments; or NULL */
} DpTotal;

typedef struct DpExpr
{
	DpExprKind kind;
	DpType type;
	Oid input_collation; /* by which texts are compared; InvalidOid: none are */
	int location;		 /* in the statement's text; -1: nowhere */
	int nargs;
	const struct DpExpr **args;
	union
	{
		DpColumnName column; /* COLUMN */
		struct
		{
			Datum value;
			bool isnull;
		} constant;	   /* CONSTANT */
		int parameter; /* PARAMETER: its number; COMPARED: the column, from 0 */
		Node *moment;  /* MOMENT: a call without arguments that depend on rows,
						* with one value an execution, such as now() */
		struct
		{
			Oid function;
			Oid operator; /* InvalidOid: it is called by its name */
			CoercionForm form;
			bool is_variadic;
		} call;				/* CALL, DISTINCT, NULLIF, ANY, ALL, CAST_BY_TEXT */
		bool is_negated;	/* NULL_TEST: IS NOT NULL */
		BoolTestType truth; /* TRUTH_TEST */
		bool has_subject;	/* CASE: args are subject?, (when, then)..., else */
		DpSubquery *subquery; /* SUBQUERY */
		DpTotal *total;		  /* AGGREGATE, WINDOW_CALL */
	};
} DpExpr;

/* The type of one of the server's expressions. */
extern DpType dp_expr_type_of(const Node *node);

/* Makers. args are taken, not copied. A location of -1 is allowed. */
extern const DpExpr *dp_expr_column(DpColumnName name, DpType type,
									int location);
extern const DpExpr *dp_expr_constant(DpType type, Datum value, bool isnull);
extern const DpExpr *dp_expr_boolean(bool value);
extern DpExpr *dp_expr_make(DpExprKind kind, DpType type, int nargs,
							const DpExpr **args, int location);

/* The same over a list of const DpExpr. */
extern DpExpr *dp_expr_over(DpExprKind kind, DpType type, const List *args,
							int location);

/* An expression that is read as another type of the same bits. */
extern const DpExpr *dp_expr_relabel(const DpExpr *value, DpType type);

/* Adds what is ANDed in a condition, NULL for true, to a list of DpExpr. */
extern List *dp_expr_arms(const DpExpr *condition, List *arms);

/*
 * Visits an expression's parts, from the whole inwards, until visit returns true, which is
 * returned. Of a sub-query only the comparison is visited, unless the visitor
 * goes on itself by dp_node_visit (gate/tree/node.h).
 */
typedef bool (*DpExprVisit)(const DpExpr *expr, void *context);
extern bool dp_expr_visit(const DpExpr *expr, DpExprVisit visit, void *context);

/* Whether one of these parts is of a kind. */
extern bool dp_expr_has_kind(const DpExpr *expr, DpExprKind kind);

/*
 * A copy in which change has replaced parts; from the whole inwards: where it
 * returns NULL, the part stays, with its own parts changed. Parts that do not
 * change are shared. Sub-queries are entered, depth being one more in them.
 */
typedef const DpExpr *(*DpExprChange)(const DpExpr *expr, int depth,
									  void *context);
extern const DpExpr *dp_expr_change(const DpExpr *expr, DpExprChange change,
									void *context);

/* The same columns of a row in which they stand this many columns later. */
extern const DpExpr *dp_expr_shift(const DpExpr *expr, int columns);

/*
 * An expression over another row, whose columns are these: that of its number takes
 * the place of each column of depth 0.
 */
extern const DpExpr *dp_expr_substitute(const DpExpr *expr, const List *exprs);

/* Columns that an expression names of its own row, sub-queries included. */
extern Bitmapset *dp_expr_columns(const DpExpr *expr);

/* Those of several, added to others. */
extern Bitmapset *dp_expr_add_columns(Bitmapset *columns, const List *exprs);

/* The same seen from a sub-query this many levels within the row's expressions. */
extern const DpExpr *dp_expr_deepen(const DpExpr *expr, int levels);

/* Whether it is a column of the row that its node's expressions see, as it is. */
static inline bool
dp_expr_is_own_column(const DpExpr *expr)
{
	return expr->kind == DP_EXPR_COLUMN && expr->column.depth == 0;
}

/*
 * The column that an expression is, whatever type of the same bits it is read as;
 * NULL for others. Not where another type or collation makes other values equal.
 */
extern const DpExpr *dp_expr_column_of(const DpExpr *expr);

/* Without relabelling: a text is the same as any binary compatible type. */
extern const DpExpr *dp_expr_unlabelled(const DpExpr *expr);

/* Whether an argument is one of those whose value the expression may have as it is. */
extern bool dp_expr_is_result(const DpExpr *expr, int argument);

/* True for aggregates and window functions, which have a DpTotal. */
extern bool dp_expr_has_total(const DpExpr *expr);

/* Whether two are the same, part by part. */
extern bool dp_expr_equal(const DpExpr *one, const DpExpr *other);

/* The number of one in a list of const DpExpr, from 0; -1: it is not there. */
extern int dp_expr_number(const List *exprs, const DpExpr *expr);

#endif
