/*
 * stubs.c
 *		Stand-ins for parts that are not there yet: weak, so that each gives way
 *		to the function itself. To be removed with the last of them.
 */
#include "postgres.h"

#include "gate/facts/domain.h"
#include "gate/facts/equalities.h"
#include "gate/facts/facts.h"
#include "gate/facts/keys.h"
#include "gate/facts/order.h"
#include "gate/facts/owner.h"
#include "gate/facts/range.h"
#include "gate/facts/text.h"
#include "gate/read/expression.h"
#include "gate/read/publics.h"
#include "gate/read/question.h"
#include "gate/read/rows.h"
#include "gate/read/scope.h"
#include "gate/tree/expr.h"
#include "gate/tree/kinds.h"
#include "gate/tree/node.h"
#include "gate/tree/planning.h"

#define STUB __attribute__((weak))

static void
missing(const char *function)
{
	elog(ERROR, "not yet: %s", function);
}

STUB const DpDomain *
dp_domain_of(const DpNode *rows, const DpExpr *key)
{
	(void) rows;
	(void) key;
	missing("dp_domain_of");
	return NULL;
}

STUB uint64
dp_domain_values(const DpDomain *domain)
{
	(void) domain;
	missing("dp_domain_values");
	return (uint64){0};
}

STUB Node *
dp_domain_condition(const DpDomain *domain, Node *column, Oid equality)
{
	(void) domain;
	(void) column;
	(void) equality;
	missing("dp_domain_condition");
	return NULL;
}

STUB DpEqualities *
dp_equalities_of(const DpNode *node)
{
	(void) node;
	missing("dp_equalities_of");
	return NULL;
}

STUB DpEqualities *
dp_equalities_of_row(const DpNode *node)
{
	(void) node;
	missing("dp_equalities_of_row");
	return NULL;
}

STUB bool
dp_equalities_equates(const DpExpr *condition, const DpExpr *column)
{
	(void) condition;
	(void) column;
	missing("dp_equalities_equates");
	return false;
}

STUB DpEqualities *
dp_equalities_learn(DpEqualities *known, const DpExpr *condition)
{
	(void) known;
	(void) condition;
	missing("dp_equalities_learn");
	return NULL;
}

STUB DpEqualities *
dp_equalities_add(DpEqualities *known, const DpExpr *one, const DpExpr *other)
{
	(void) known;
	(void) one;
	(void) other;
	missing("dp_equalities_add");
	return NULL;
}

STUB DpEqualities *
dp_equalities_join(DpEqualities *known, const DpEqualities *more)
{
	(void) known;
	(void) more;
	missing("dp_equalities_join");
	return NULL;
}

STUB DpEqualities *
dp_equalities_copy(const DpEqualities *known)
{
	(void) known;
	missing("dp_equalities_copy");
	return NULL;
}

STUB DpEqualities *
dp_equalities_shift(const DpEqualities *known, int columns)
{
	(void) known;
	(void) columns;
	missing("dp_equalities_shift");
	return NULL;
}

STUB DpEqualities *
dp_equalities_deepen(const DpEqualities *known)
{
	(void) known;
	missing("dp_equalities_deepen");
	return NULL;
}

STUB bool
dp_equalities_has(const DpEqualities *known, DpColumnName one,
				  DpColumnName other)
{
	(void) known;
	(void) one;
	(void) other;
	missing("dp_equalities_has");
	return false;
}

STUB Bitmapset *
dp_equalities_of_column(const DpEqualities *known, int number)
{
	(void) known;
	(void) number;
	missing("dp_equalities_of_column");
	return NULL;
}

STUB const DpNode *
dp_facts_add(DpNode *node)
{
	(void) node;
	missing("dp_facts_add");
	return NULL;
}

STUB const DpFacts *
dp_facts_of_row(const DpNode *node)
{
	(void) node;
	missing("dp_facts_of_row");
	return NULL;
}

STUB DpRowKeys
dp_keys_of(const DpNode *node, const DpEqualities *equal)
{
	(void) node;
	(void) equal;
	missing("dp_keys_of");
	return (DpRowKeys){0};
}

STUB bool
dp_keys_one_row(const DpNode *rows, List *exprs)
{
	(void) rows;
	(void) exprs;
	missing("dp_keys_one_row");
	return false;
}

STUB bool
dp_keys_one_group(const DpNode *rows, List *exprs)
{
	(void) rows;
	(void) exprs;
	missing("dp_keys_one_group");
	return false;
}

STUB bool
dp_keys_units_are_rows(const DpNode *rows, List **looked_up, List **by)
{
	(void) rows;
	(void) looked_up;
	(void) by;
	missing("dp_keys_units_are_rows");
	return false;
}

STUB DpOrderFact
dp_order_of(const DpNode *node)
{
	(void) node;
	missing("dp_order_of");
	return (DpOrderFact){0};
}

STUB bool
dp_order_has_twins(Oid type)
{
	(void) type;
	missing("dp_order_has_twins");
	return false;
}

STUB DpOwner
dp_owner_of_node(const DpNode *node, const DpEqualities *equal)
{
	(void) node;
	(void) equal;
	missing("dp_owner_of_node");
	return (DpOwner){0};
}

STUB bool
dp_owner_same_unit(const DpOwner *one, const DpOwner *other,
				   const DpEqualities *equal, bool *crosses)
{
	(void) one;
	(void) other;
	(void) equal;
	(void) crosses;
	missing("dp_owner_same_unit");
	return false;
}

STUB bool
dp_owner_is_determined(const DpOwner *owner, const DpEqualities *equal,
					   List *exprs)
{
	(void) owner;
	(void) equal;
	(void) exprs;
	missing("dp_owner_is_determined");
	return false;
}

STUB bool
dp_owner_of_subquery(const DpExpr *expr, const DpOwner *row_owner,
					 const DpEqualities *row_equal, bool *crosses)
{
	(void) expr;
	(void) row_owner;
	(void) row_equal;
	(void) crosses;
	missing("dp_owner_of_subquery");
	return false;
}

STUB const DpUnitName *
dp_owner_value_name(const DpOwner *owner)
{
	(void) owner;
	missing("dp_owner_value_name");
	return NULL;
}

STUB DpColumnFact *
dp_range_of_columns(const DpNode *node)
{
	(void) node;
	missing("dp_range_of_columns");
	return NULL;
}

STUB DpColumnFact *
dp_range_of_row(const DpNode *node)
{
	(void) node;
	missing("dp_range_of_row");
	return NULL;
}

STUB DpColumnFact *
dp_range_of_counted(const DpNode *rows)
{
	(void) rows;
	missing("dp_range_of_counted");
	return NULL;
}

STUB DpColumnFact
dp_range_of(const DpExpr *expr, const DpColumnFact *row)
{
	(void) expr;
	(void) row;
	missing("dp_range_of");
	return (DpColumnFact){0};
}

STUB bool
dp_range_may_be_null(const DpExpr *expr, const DpColumnFact *row)
{
	(void) expr;
	(void) row;
	missing("dp_range_may_be_null");
	return false;
}

STUB bool
dp_range_can_have_bounds(Oid type)
{
	(void) type;
	missing("dp_range_can_have_bounds");
	return false;
}

STUB DpText *
dp_text_of(const DpNode *node)
{
	(void) node;
	missing("dp_text_of");
	return NULL;
}

STUB DpText *
dp_text_of_expr(const DpNode *node, const DpExpr *expr)
{
	(void) node;
	(void) expr;
	missing("dp_text_of_expr");
	return NULL;
}

STUB char *
dp_text_write(const DpText *form, DpTextFill fill, void *context)
{
	(void) form;
	(void) fill;
	(void) context;
	missing("dp_text_write");
	return NULL;
}

STUB const DpExpr *
dp_expression_read(DpScope *scope, Node *node)
{
	(void) scope;
	(void) node;
	missing("dp_expression_read");
	return NULL;
}

STUB List *
dp_expression_read_conditions(DpScope *scope, Node *node)
{
	(void) scope;
	(void) node;
	missing("dp_expression_read_conditions");
	return NULL;
}

STUB bool
dp_publics_is_public(const RangeTblEntry *rte)
{
	(void) rte;
	missing("dp_publics_is_public");
	return false;
}

STUB bool
dp_publics_query_is_public(Query *query)
{
	(void) query;
	missing("dp_publics_query_is_public");
	return false;
}

STUB const DpNode *
dp_publics_read(DpScope *scope, int rtindex, List **conditions)
{
	(void) scope;
	(void) rtindex;
	(void) conditions;
	missing("dp_publics_read");
	return NULL;
}

STUB const DpNode *
dp_publics_read_query(DpScope *scope, Query *query)
{
	(void) scope;
	(void) query;
	missing("dp_publics_read_query");
	return NULL;
}

STUB const DpNode *
dp_rows_read_from(DpScope *scope)
{
	(void) scope;
	missing("dp_rows_read_from");
	return NULL;
}

STUB const DpNode *
dp_rows_read_query(DpPlanning *planning, DpScope *around, Query *query,
				   const char *what, int location)
{
	(void) planning;
	(void) around;
	(void) query;
	(void) what;
	(void) location;
	missing("dp_rows_read_query");
	return NULL;
}

STUB const DpExpr *
dp_rows_read_sublink(DpScope *scope, SubLink *link)
{
	(void) scope;
	(void) link;
	missing("dp_rows_read_sublink");
	return NULL;
}

STUB const DpExpr *
dp_scope_column(const DpScope *scope, const Var *var)
{
	(void) scope;
	(void) var;
	missing("dp_scope_column");
	return NULL;
}

STUB const DpExpr *
dp_expr_column(DpColumnName name, DpType type, int location)
{
	(void) name;
	(void) type;
	(void) location;
	missing("dp_expr_column");
	return NULL;
}

STUB const DpExpr *
dp_expr_constant(DpType type, Datum value, bool isnull)
{
	(void) type;
	(void) value;
	(void) isnull;
	missing("dp_expr_constant");
	return NULL;
}

STUB const DpExpr *
dp_expr_boolean(bool value)
{
	(void) value;
	missing("dp_expr_boolean");
	return NULL;
}

STUB DpExpr *
dp_expr_make(DpExprKind kind, DpType type, int nargs, const DpExpr **args,
			 int location)
{
	(void) kind;
	(void) type;
	(void) nargs;
	(void) args;
	(void) location;
	missing("dp_expr_make");
	return NULL;
}

STUB const DpExpr *
dp_expr_and(List *conditions)
{
	(void) conditions;
	missing("dp_expr_and");
	return NULL;
}

STUB List *
dp_expr_arms(const DpExpr *condition, List *arms)
{
	(void) condition;
	(void) arms;
	missing("dp_expr_arms");
	return NULL;
}

STUB bool
dp_expr_visit(const DpExpr *expr, DpExprVisit visit, void *context)
{
	(void) expr;
	(void) visit;
	(void) context;
	missing("dp_expr_visit");
	return false;
}

STUB const DpExpr *
dp_expr_change(const DpExpr *expr, DpExprChange change, void *context)
{
	(void) expr;
	(void) change;
	(void) context;
	missing("dp_expr_change");
	return NULL;
}

STUB const DpExpr *
dp_expr_shift(const DpExpr *expr, int columns)
{
	(void) expr;
	(void) columns;
	missing("dp_expr_shift");
	return NULL;
}

STUB const DpExpr *
dp_expr_substitute(const DpExpr *expr, const DpExpr *const *exprs)
{
	(void) expr;
	(void) exprs;
	missing("dp_expr_substitute");
	return NULL;
}

STUB Bitmapset *
dp_expr_columns(const DpExpr *expr)
{
	(void) expr;
	missing("dp_expr_columns");
	return NULL;
}

STUB const DpExpr *
dp_expr_deepen(const DpExpr *expr, int levels)
{
	(void) expr;
	(void) levels;
	missing("dp_expr_deepen");
	return NULL;
}

STUB bool
dp_expr_refers_outward(const DpExpr *expr, int depth)
{
	(void) expr;
	(void) depth;
	missing("dp_expr_refers_outward");
	return false;
}

STUB const DpExpr *
dp_expr_column_of(const DpExpr *expr)
{
	(void) expr;
	missing("dp_expr_column_of");
	return NULL;
}

STUB bool
dp_expr_has_total(const DpExpr *expr)
{
	(void) expr;
	missing("dp_expr_has_total");
	return false;
}

STUB bool
dp_expr_equal(const DpExpr *one, const DpExpr *other)
{
	(void) one;
	(void) other;
	missing("dp_expr_equal");
	return false;
}

STUB const DpKindRow *
dp_kinds_get(DpExprKind kind)
{
	(void) kind;
	missing("dp_kinds_get");
	return NULL;
}

STUB Node *
dp_kinds_write(const DpExpr *expr, const DpWriter *writer)
{
	(void) expr;
	(void) writer;
	missing("dp_kinds_write");
	return NULL;
}
