/*
 * joins.c
 *		The joins of a block: protected relations to each other, and to tables
 *		that are looked up.
 *
 * Protected relations are joined on their units (gate/question/unit_joins.h). A join to
 * another table could make many rows of one, and one row count many times. So
 * only those are accepted that make at most one row of each: equalities, by
 * operators of the index's own family, of all columns of a unique index of the
 * joined table, with expressions over the protected relations or over tables
 * that are looked up before. The statement beneath reads copies of the joined
 * tables' rows (gate/question/row_copies.h), and copies with the same key twice
 * are refused. The index itself is not believed: its owner can have rows that
 * it does not know of in older snapshots.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "gate/question/expression.h"
#include "gate/question/folding.h"
#include "gate/question/joins.h"
#include "gate/question/lookup.h"
#include "gate/question/row_copies.h"
#include "gate/question/unit_joins.h"
#include "server/compat.h"

/* A table that is joined. */
typedef struct Table
{
	Index varno;
	Oid relation;
	JoinExpr *outer; /* its own outer join; NULL: inner */
	Oid index; /* by which it is looked up; invalid before that is known */
	List
		*keys; /* what that index's columns equal: see gate/question/lookup.h */
	List *key_columns;	/* the same columns, integers */
	Bitmapset *columns; /* that are used */
} Table;

typedef struct Joins
{
	Query *query;
	DpSubjects *subjects;
	List *tables;	  /* of Table */
	List *conditions; /* of inner joins and WHERE, ANDed */
	Bitmapset *all;	  /* places of all relations */
	Bitmapset *known; /* of those that are resolved */
} Joins;

static const char *const unique_hint =
	"Join by equality of all columns of a primary key or unique constraint of "
	"the other table with columns of the protected relation.";

char *
dp_gate_lookup_name(int place)
{
	return psprintf("dp_lookup_%d", place);
}

bool
dp_gate_is_lookup_name(const char *name)
{
	return strncmp(name, "dp_lookup_", 10) == 0;
}

static bool
has_row_security(Oid table)
{
	Relation relation = table_open(table, NoLock);
	bool result = relation->rd_rel->relrowsecurity;

	table_close(relation, NoLock);
	return result;
}

/* Only ordinary tables: what a unique index says holds of all their rows. */
static void
check_table(RangeTblEntry *rte)
{
	if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION)
		dp_gate_refuse("a join to what is not an ordinary table",
					   "Join ordinary tables only; views, sub-queries, "
					   "functions and partitioned tables cannot be joined.",
					   -1);
	if (rte->relid < FirstNormalObjectId)
		dp_gate_refuse("a join to a system catalog",
					   "Copy what is needed of it to a table.", -1);
	if (get_rel_persistence(rte->relid) == RELPERSISTENCE_TEMP)
		dp_gate_refuse("a join to a temporary table", "Join a permanent table.",
					   -1);
	if (rte->inh && has_subclass(rte->relid))
		dp_gate_refuse("a join to a table with inheriting tables",
					   "A unique index says nothing of their rows: join a "
					   "table without them.",
					   -1);
	if (rte->securityQuals != NIL || has_row_security(rte->relid))
		dp_gate_refuse("a join to a table with row-level security",
					   "Join a table without row-level security policies.", -1);
	if (rte->tablesample != NULL)
		dp_gate_refuse("TABLESAMPLE", "Leave it out.", -1);
}

static void
add_table(Joins *joins, int place, JoinExpr *outer)
{
	RangeTblEntry *rte = rt_fetch(place, joins->query->rtable);
	Table *table;

	if (dp_gate_has_subject(joins->subjects, (Index) place))
		return;
	check_table(rte);
	table = palloc0(sizeof(Table));
	table->varno = (Index) place;
	table->relation = rte->relid;
	table->outer = outer;
	joins->tables = lappend(joins->tables, table);
	joins->all = bms_add_member(joins->all, place);
}

/* Conditions as they will be run: ANDed, functions of constants evaluated. */
static List *
fold(Joins *joins, Node **quals, const char *what)
{
	*quals = dp_gate_fold(dp_compat_flatten_joins(joins->query, *quals), what);
	return make_ands_implicit((Expr *) *quals);
}

/* The nullable side of an outer join: one table. */
static void
add_outer(Joins *joins, Node *side, JoinExpr *join)
{
	List *conditions;
	ListCell *place;
	ListCell *own;

	if (!IsA(side, RangeTblRef))
		dp_gate_refuse("an outer join that adds to the protected relation's "
					   "rows, or to more than one table",
					   "Write the protected relation LEFT JOIN one table after "
					   "the other.",
					   exprLocation(join->quals));
	conditions = fold(joins, &join->quals, "JOIN");
	if (conditions == NIL)
		conditions = list_make1(makeBoolConst(true, false));
	forboth (place, joins->subjects->places, own, joins->subjects->conditions)
	{
		if (lfirst_int(place) != ((RangeTblRef *) side)->rtindex)
			continue;
		lfirst(own) = conditions;
		return;
	}
	add_table(joins, ((RangeTblRef *) side)->rtindex, join);
}

static void
collect(Joins *joins, Node *node)
{
	JoinExpr *join = (JoinExpr *) node;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
	{
		add_table(joins, ((RangeTblRef *) node)->rtindex, NULL);
		return;
	}
	switch (castNode(JoinExpr, node)->jointype)
	{
		case JOIN_INNER:
			collect(joins, join->larg);
			collect(joins, join->rarg);
			joins->conditions = list_concat(joins->conditions,
											fold(joins, &join->quals, "JOIN"));
			break;
		case JOIN_LEFT:
			collect(joins, join->larg);
			add_outer(joins, join->rarg, join);
			break;
		case JOIN_RIGHT:
			collect(joins, join->rarg);
			add_outer(joins, join->larg, join);
			break;
		default:
			dp_gate_refuse("FULL JOIN",
						   "Write the protected relation LEFT JOIN the other "
						   "table.",
						   exprLocation(join->quals));
	}
}

static bool
is_column(Node *node, Index varno, AttrNumber column)
{
	Var *var = dp_gate_column_of(node);

	return var != NULL && (Index) var->varno == varno &&
		   var->varattno == column;
}

/* Over protected relations, tables that are resolved, and constants. */
static bool
is_known(const Joins *joins, Node *node)
{
	return bms_is_subset(bms_intersect(pull_varnos(NULL, node), joins->all),
						 joins->known);
}

/* What a condition says that an index's column equals; NULL: nothing. */
static Node *
equal_to(const Joins *joins, Index varno, AttrNumber column, Oid family,
		 Node *condition)
{
	OpExpr *op = (OpExpr *) condition;
	int side;

	if (!IsA(condition, OpExpr) || list_length(op->args) != 2 ||
		get_op_opfamily_strategy(op->opno, family) != BTEqualStrategyNumber)
		return NULL;
	for (side = 0; side < 2; side++)
	{
		Node *other = list_nth(op->args, 1 - side);

		if (is_column(list_nth(op->args, side), varno, column) &&
			is_known(joins, other))
			return other;
	}
	return NULL;
}

/* True for an index whose columns can be the key of a look-up. */
static bool
is_unique(Relation index)
{
	return index->rd_rel->relam == BTREE_AM_OID &&
		   index->rd_index->indisunique && index->rd_index->indimmediate &&
		   index->rd_index->indisvalid && index->rd_index->indislive &&
		   heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) &&
		   heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL);
}

/*
 * Whether values of a type can be told apart, as a join by an operator of the
 * family does it, by the type's own hash function.
 */
static bool
is_hashable(Oid type, Oid family)
{
	const TypeCacheEntry *entry = lookup_type_cache(
		getBaseType(type), TYPECACHE_EQ_OPR | TYPECACHE_HASH_EXTENDED_PROC);

	return OidIsValid(entry->hash_extended_proc) &&
		   entry->eq_opr < FirstNormalObjectId &&
		   dp_gate_is_total(get_opcode(entry->eq_opr)) &&
		   get_op_opfamily_strategy(entry->eq_opr, family) ==
			   BTEqualStrategyNumber;
}

/* What all columns of an index equal; NIL when some equal nothing. */
static List *
match_index(const Joins *joins, Table *table, Relation index, List *conditions)
{
	List *keys = NIL;
	int i;

	table->key_columns = NIL;
	if (!is_unique(index))
		return NIL;
	for (i = 0; i < index->rd_index->indnkeyatts; i++)
	{
		AttrNumber column = index->rd_index->indkey.values[i];
		Node *other = NULL;
		ListCell *cell;

		if (index->rd_opfamily[i] >= FirstNormalObjectId ||
			!is_hashable(get_atttype(table->relation, column),
						 index->rd_opfamily[i]))
			return NIL;
		foreach (cell, conditions)
		{
			other = equal_to(joins, table->varno, column, index->rd_opfamily[i],
							 lfirst(cell));
			if (other != NULL)
				break;
		}
		if (other == NULL)
			return NIL;
		keys = lappend(keys, makeConst(INT2OID, -1, InvalidOid, sizeof(int16),
									   Int16GetDatum(column), false, true));
		keys = lappend(keys, other);
		table->key_columns = lappend_int(table->key_columns, column);
	}
	return keys;
}

/* In place of columns of tables that are resolved, lookups. */
static Node *
convert(Node *node, Joins *joins)
{
	ListCell *cell;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, convert, joins);
	foreach (cell, joins->tables)
	{
		Table *table = lfirst(cell);
		Var *column = (Var *) node;

		if (column->varlevelsup != 0 || (Index) column->varno != table->varno)
			continue;
		if (column->varattno <= 0)
			dp_gate_refuse("a system column or whole row of a joined table",
						   "Name the columns one by one.", column->location);
		table->columns = bms_add_member(table->columns, column->varattno);
		return dp_gate_lookup_make(column, table->relation, table->keys,
								   table->outer != NULL);
	}
	return copyObject(node);
}

/* Finds by what index a table is looked up, if that is known yet. */
static bool
resolve(Joins *joins, Table *table)
{
	List *conditions = table->outer == NULL
						   ? joins->conditions
						   : make_ands_implicit((Expr *) table->outer->quals);
	Relation relation = table_open(table->relation, NoLock);
	ListCell *cell;

	foreach (cell, RelationGetIndexList(relation))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);
		List *keys = match_index(joins, table, index, conditions);

		index_close(index, NoLock);
		if (keys == NIL || (table->outer != NULL &&
							list_length(keys) != 2 * list_length(conditions)))
			continue;
		table->index = lfirst_oid(cell);
		table->keys = (List *) convert((Node *) keys, joins);
		break;
	}
	table_close(relation, NoLock);
	return OidIsValid(table->index);
}

/* Resolves table by table, in whatever order their keys need one another. */
static void
resolve_all(Joins *joins)
{
	bool progress = true;
	ListCell *cell;

	while (progress)
	{
		progress = false;
		foreach (cell, joins->tables)
		{
			Table *table = lfirst(cell);

			if (OidIsValid(table->index) || !resolve(joins, table))
				continue;
			joins->known = bms_add_member(joins->known, (int) table->varno);
			progress = true;
		}
	}
	foreach (cell, joins->tables)
	{
		Table *table = lfirst(cell);

		if (OidIsValid(table->index))
			continue;
		if (table->outer != NULL)
			dp_gate_refuse("an outer join on anything but a unique key of the "
						   "other table",
						   "Write in ON the equality of all columns of a "
						   "primary key or unique constraint of the other "
						   "table with columns of the protected relation, and "
						   "nothing else.",
						   exprLocation(table->outer->quals));
		dp_gate_refuse("a join on anything but a unique key of the other table",
					   unique_hint, -1);
	}
}

/* The rows of a table: a query of the user's own. */
static Query *
rows_query(const Joins *joins, const Table *table)
{
	Query *query =
		dp_gate_copy_query(joins->query, table->varno, table->columns);

	linitial_node(RangeTblEntry, query->rtable)->inh = false;
	if (OidIsValid(dp_compat_refused_by_query(query)))
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(table->relation)),
					   get_rel_name(table->relation));
	return query;
}

/*
 * A row of a table that is looked up by a column which is null or not as an
 * outer join finds that row is one of several that meet the preserved row.
 */
static bool
depends_on_nullable(Node *node, const DpSubjects *subjects)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return dp_gate_is_nullable(subjects, (Var *) node);
	return expression_tree_walker(node, depends_on_nullable, (void *) subjects);
}

static bool
has_circular_lookup(Node *node, const DpSubjects *subjects)
{
	if (node == NULL)
		return false;
	if (dp_gate_lookup_column(node) != NULL)
		return depends_on_nullable((Node *) dp_gate_lookup_key(node), subjects);
	return expression_tree_walker(node, has_circular_lookup, (void *) subjects);
}

/* Of outer joins everything is checked where it stands. */
static void
convert_outer(Joins *joins)
{
	ListCell *cell;

	foreach (cell, joins->tables)
	{
		const Table *table = lfirst(cell);

		if (table->outer != NULL)
			dp_gate_check_expression(convert(table->outer->quals, joins),
									 joins->subjects, "JOIN");
	}
	foreach (cell, joins->subjects->conditions)
	{
		if (lfirst(cell) == NULL)
			continue;
		lfirst(cell) = convert(lfirst(cell), joins);
		dp_gate_check_expression(lfirst(cell), joins->subjects, "JOIN");
		if (has_circular_lookup(lfirst(cell), joins->subjects))
			dp_gate_refuse("an outer join on columns of a table that is joined "
						   "by columns of an outer join",
						   "Join that table by columns of the preserved "
						   "relation, or leave its columns out of ON.",
						   -1);
	}
}

/* Converts the block, and what is to be checked besides WHERE. */
static List *
convert_block(Joins *joins, int where)
{
	Query *query = joins->query;
	List *inner = list_truncate(list_copy(joins->conditions), where);
	List *result = (List *) convert((Node *) inner, joins);

	convert_outer(joins);
	query->targetList = (List *) convert((Node *) query->targetList, joins);
	query->havingQual = convert(query->havingQual, joins);
	query->jointree->quals = convert(query->jointree->quals, joins);
	if (result != NIL)
		dp_gate_check_expression((Node *) result, joins->subjects, "JOIN");
	return result;
}

DpJoins
dp_gate_resolve_joins(Query *query, DpSubjects *subjects)
{
	Joins joins = {.query = query, .subjects = subjects};
	DpJoins result = {NIL, NIL, NIL};
	ListCell *cell;
	int where;

	query->targetList =
		(List *) dp_compat_flatten_joins(query, (Node *) query->targetList);
	query->havingQual = dp_compat_flatten_joins(query, query->havingQual);
	foreach (cell, subjects->places)
		joins.known = bms_add_member(joins.known, lfirst_int(cell));
	joins.all = bms_copy(joins.known);
	foreach (cell, query->jointree->fromlist)
		collect(&joins, lfirst(cell));
	where = list_length(joins.conditions);
	joins.conditions = list_concat(
		joins.conditions, fold(&joins, &query->jointree->quals, "WHERE"));
	dp_gate_check_unit_joins(query, subjects, joins.conditions);
	resolve_all(&joins);
	result.conditions = convert_block(&joins, where);
	foreach (cell, joins.tables)
	{
		Table *table = lfirst(cell);
		Query *rows = rows_query(&joins, table);

		result.rows = lappend(result.rows, rows);
		result.keys = lappend(result.keys, table->key_columns);
		dp_gate_read_copy(rt_fetch(table->varno, query->rtable), rows,
						  dp_gate_lookup_name(list_length(result.rows)));
	}
	return result;
}
