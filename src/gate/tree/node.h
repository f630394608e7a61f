/*
 * node.h
 *		A question as a tree of operations on rows.
 *
 * Read once from what the analyst wrote (gate/read/); from then on everything
 * is computed from the tree. Nodes never change. What is known of a node's rows
 * is computed when it is made, from its inputs alone (gate/facts/facts.h).
 *
 * The expressions of a node see a row: of a join its inputs' columns one after
 * the other, of all other nodes the columns of the only input.
 */
#ifndef DP_GATE_TREE_NODE_H
#define DP_GATE_TREE_NODE_H

#include "gate/tree/expr.h"
#include "mechanisms/contribution.h"

typedef enum DpNodeKind
{
	DP_NODE_SCAN,	   /* a protected relation's rows */
	DP_NODE_PUBLIC,	   /* rows that nothing protected decides */
	DP_NODE_JOIN,	   /* inner, of one or more inputs: of one it is a filter */
	DP_NODE_LEFT_JOIN, /* of two */
	DP_NODE_GROUP,	   /* GROUP BY or DISTINCT within each unit */
	DP_NODE_WINDOW,	 /* further columns, by window functions within each unit */
	DP_NODE_UNION,	 /* UNION ALL */
	DP_NODE_VIEW,	 /* a protected view, with settings of its own */
	DP_NODE_PROJECT, /* expressions as columns */
	DP_NODE_RELEASE	 /* the question: private aggregates, by keys */
} DpNodeKind;

typedef struct DpColumn
{
	const char *name; /* as it is called where it comes from */
	DpType type;
} DpColumn;

struct DpFacts;

typedef struct DpNode
{
	DpNodeKind kind;
	int location;	  /* in the statement's text; -1: nowhere */
	const char *name; /* of a sub-query, as FROM calls it; NULL: it is none */
	int ncolumns;
	const DpColumn *columns;
	int ninputs;
	const struct DpNode **inputs;
	const struct DpFacts *facts;

	/* How these were found: for changed copies. NULL: they were not. */
	const struct DpNode *(*add_facts)(struct DpNode *node);
} DpNode;

/* Each kind begins with a DpNode. */

typedef struct DpScan
{
	DpNode node;
	Oid relation;
	const AttrNumber
		*attributes;  /* of each column: the relation's, or a system column */
	bool is_followed; /* it is read to find units along a path, not named */
	int view_depth; /* protected views in which it stands; 0: the question names it */
} DpScan;

typedef struct DpPublicRows
{
	DpNode node;
	const char *name; /* as it is called in the question */
	Query
		*statement; /* SELECT of exactly the columns, as the asker may run it */
	Oid relation;	/* an ordinary table; InvalidOid: anything else */
	const AttrNumber
		*attributes; /* of each column, where there is a relation; else NULL */
	bool is_whole;	 /* all rows of its relation are read */
	bool is_shown;	 /* the asker may read all of it: its values are public */
	bool is_of_role; /* other roles may find other rows */
	bool
		is_stable; /* it has the same rows whenever it is read in a statement */
} DpPublicRows;

typedef struct DpJoin /* JOIN, LEFT_JOIN */
{
	DpNode node;
	List *
		conditions; /* of const DpExpr: all hold in each row, or in each match */

	/*
	 * Parallel to the inputs, integers: neighbours of one item of FROM were written
	 * as joined one after the other, those of several as a list. For the planner
	 * alone: it looks for an order of a list.
	 */
	List *items;

	/*
	 * Those among them that nobody wrote, in words, of const char: equalities of
	 * units that were added to a join along a foreign key.
	 */
	List *added;

	/*
	 * Of a left join of owned rows and public ones: it was written as FULL JOIN. Its
	 * public rows without a match are not there (gate/read/matched.h).
	 */
	bool is_full;
} DpJoin;

typedef struct DpGroup
{
	DpNode node; /* its columns are the keys, then the aggregates */
	List *keys;	 /* of const DpExpr */

	/*
	 * Of const DpExpr: DP_EXPR_AGGREGATE, or DP_EXPR_COLUMN, a column that the keys
	 * determine, by the key of its relation. NIL for DISTINCT.
	 */
	List *aggregates;
	bool is_distinct; /* it was written as DISTINCT: for messages */
} DpGroup;

/* How a window function's rows are chosen and ordered. */
typedef struct DpWindowFrame
{
	List *partition; /* of const DpExpr */
	List *order;	 /* of const DpExpr */
	List *
		directions; /* parallel: SortGroupClause, of operators and nulls first */
	int options;	/* FRAMEOPTION_... */
	Node *start;	/* constants, or NULL */
	Node *end;
	WindowClause *clause; /* as it was written */
} DpWindowFrame;

typedef struct DpWindow
{
	DpNode node;  /* its columns are the input's, then the calls */
	List *calls;  /* of const DpExpr, DP_EXPR_WINDOW_CALL */
	List *frames; /* parallel: DpWindowFrame */
} DpWindow;

typedef struct DpView
{
	DpNode node; /* of one input, whose columns these are */
	Oid relation;
	const AttrNumber
		*attributes; /* of each column; 0: carried along, of none */
} DpView;

typedef struct DpProject
{
	DpNode node;
	List *exprs; /* of const DpExpr */
} DpProject;

/* What the bounds of an aggregate follow from; of several values the last of these. */
typedef enum DpBoundsOrigin
{
	DP_BOUNDS_GIVEN,	  /* they are written, declared, or yet to be chosen */
	DP_BOUNDS_OF_COLUMNS, /* from those of other columns, public rows or caps */
	DP_BOUNDS_OF_CONDITIONS /* from conditions as well */
} DpBoundsOrigin;

/* A private aggregate of the question. */
typedef struct DpAsked
{
	Aggref
		*aggref; /* as it is asked, with bounds, for what it is and its words */
	List *args;	 /* of const DpExpr: data, bounds, epsilon, mechanism ... */
	const DpExpr *filter; /* NULL: all rows count */
	DpBoundsOrigin bounds_origin;
	bool chooses_bounds; /* they are parameters, found when it is answered */
	double
		cap_share; /* of its epsilon, for which a cap is chosen; 0: none is */
} DpAsked;

/* One of the groupings of a question, of which there is one without GROUPING SETS. */
typedef struct DpGrouping
{
	Bitmapset *keys; /* numbers of the question's keys, from 0 */

	/*
	 * How much a unit contributes to it. one_row: it has at most one row in each
	 * group. one_group: it is in at most one group.
	 */
	DpContribution contribution;
	bool one_row;
	bool one_group;
	bool is_keys_alone; /* nothing is asked but public keys: no aggregates */
	List *together; /* of its keys: const DpTogether, gate/facts/together.h */
} DpGrouping;

struct DpDomain;
struct DpEnds;

typedef struct DpQuestion /* RELEASE */
{
	DpNode node;	 /* its columns are the keys, then the aggregates */
	List *keys;		 /* of const DpExpr */
	List *domains;	 /* beside keys: of const DpDomain, gate/facts/domain.h */
	List *groupings; /* of DpGrouping, in the order in which they are written */
	List *aggregates;	 /* of DpAsked */
	struct DpEnds *ends; /* of intervals around them: gate/read/ends.h */
	List *levels;		 /* of privacy, Float, descending; NIL: none */
	bool several;		 /* a unit may have several rows, which are bounded */
	uint32
		people; /* that a group by keys has at least which is shown; 1: any */

	/*
	 * Whether the groupings are tables of the same rows, by public keys; and if so, of
	 * which, by tuples of keys that are found together: const DpKept
	 * (gate/facts/together.h).
	 */
	bool are_of_one;
	List *kept;
} DpQuestion;

/*
 * Makers: bare nodes, whose facts are found by dp_facts_add (gate/facts/facts.h).
 * Columns of joins, unions, groups, windows and projects follow from what they
 * are made of, those of scans from the catalog; names: of const char, for others.
 */
extern DpScan *dp_node_scan(Oid relation, const AttrNumber *attributes,
							int ncolumns, int location);
extern DpPublicRows *dp_node_public(Query *statement, const char *name,
									List *names, int location);
extern DpJoin *dp_node_join(List *inputs, List *items, List *conditions,
							int location);
extern DpJoin *dp_node_left_join(const DpNode *left, const DpNode *right,
								 List *conditions, int location);
extern DpGroup *dp_node_group(const DpNode *input, List *keys, List *aggregates,
							  List *names, int location);
extern DpWindow *dp_node_window(const DpNode *input, List *calls, List *frames,
								int location);
extern DpNode *dp_node_union(List *inputs, const DpType *types, int location);
extern DpView *dp_node_view(const DpNode *input, Oid relation,
							const AttrNumber *attributes, int location);
extern DpProject *dp_node_project(const DpNode *input, List *exprs,
								  List *names);
extern DpQuestion *dp_node_question(const DpNode *input, List *keys,
									List *groupings, List *aggregates,
									List *names, int location);

/* Where the columns of a join's input begin in its row. */
extern int dp_node_offset(const DpNode *join, int input);

/* The column that is an attribute of a relation; -1: none is. */
extern int dp_node_place(const AttrNumber *attributes, int ncolumns,
						 int attribute);

/* A column of a node's, as an expression over its rows. */
extern const DpExpr *dp_node_column(const DpNode *node, int number);

/* How many columns the row has that a node's expressions see. */
extern int dp_node_row_width(const DpNode *node);

/*
 * The size of a kind's struct, and where lists of const DpExpr are in it, which end
 * with 0; those of frames and of a question's aggregates are not among them.
 */
typedef struct DpNodeLayout
{
	Size size;
	size_t exprs[3];
} DpNodeLayout;

extern const DpNodeLayout *dp_node_layout(DpNodeKind kind);

/* A node's own expressions, in no order. */
extern List *dp_node_exprs(const DpNode *node);

/*
 * Visits the nodes of a tree, a node before its inputs and these before the
 * sub-queries in its expressions, until one of the visitors returns true, which is
 * returned. Either may be NULL.
 */
typedef bool (*DpNodeVisit)(const DpNode *node, int depth, void *context);
extern bool dp_node_visit(const DpNode *node, DpNodeVisit visit,
						  DpExprVisit of_expr, void *context);

/* Whether two trees are the same, part by part. False for some that are. */
extern bool dp_node_equal(const DpNode *one, const DpNode *other);

#endif
