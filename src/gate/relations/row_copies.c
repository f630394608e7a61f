/*
 * row_copies.c
 *		Statements that read copies of a relation's rows instead of it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "gate/relations/row_copies.h"
#include "server/citus.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/ownership.h"
#include "server/queries.h"
#include "server/search.h"
#include "server/statement_error.h"
#include "server/type_owner.h"

char *
dp_row_copies_name(int number)
{
	return psprintf("dp_copy_%d", number);
}

int
dp_row_copies_number(const char *name)
{
	return strncmp(name, "dp_copy_", 8) == 0 ? (int) strtol(name + 8, NULL, 10)
											 : 0;
}

Query *
dp_row_copies_query(const Query *from, int rtindex, List *conditions)
{
	Query *query = dp_query_make();
	RangeTblEntry *rte = copyObject(rt_fetch(rtindex, from->rtable));

	rte->inFromCl = true;
	ChangeVarNodes((Node *) rte->securityQuals, rtindex, 1, 0);
	query->hasSubLinks = checkExprHasSubLink((Node *) rte->securityQuals) ||
						 checkExprHasSubLink((Node *) conditions);
	query->hasRowSecurity = rte->securityQuals != NIL;
	query->rtable = list_make1(rte);
	dp_compat_copy_permissions(query, from, rte);
	query->jointree->fromlist = list_make1(dp_query_reference(1));
	if (conditions != NIL)
		query->jointree->quals = (Node *) make_ands_explicit(conditions);
	foreach_ptr (Node, node, dp_compat_columns(rte))
		(void) dp_query_add_target(query, node, NULL);
	return query;
}

/*
 * Makes a query return nulls for all other columns than these. Nobody names them, and
 * they are of a type of the server's: a null of a domain would be checked.
 */
static void
keep_columns(Query *rows, const Bitmapset *columns)
{
	foreach_node (TargetEntry, entry, rows->targetList)
	{
		if (!bms_is_member(entry->resno, columns))
			entry->expr = (Expr *) makeNullConst(INT4OID, -1, InvalidOid);
	}
}

static double
rows_expected(const RangeTblEntry *rte)
{
	Relation rel;
	double result;

	if (rte->rtekind != RTE_RELATION)
		return 1000;
	rel = table_open(rte->relid, NoLock);
	result = rel->rd_rel->reltuples < 0 ? 1000 : Max(rel->rd_rel->reltuples, 1);
	table_close(rel, NoLock);
	return result;
}

void
dp_row_copies_read(RangeTblEntry *rte, const Query *rows, char *name)
{
	rte->enrtuples = rows_expected(rte);
	rte->enrname = name;
	rte->rtekind = RTE_NAMEDTUPLESTORE;
	rte->relid = InvalidOid;
	rte->relkind = 0;
	rte->rellockmode = 0;
	rte->inh = false;
	rte->subquery = NULL;
	rte->security_barrier = false;
	rte->functions = rte->values_lists = NIL;
	rte->tablefunc = NULL;
	rte->tablesample = NULL;
	rte->coltypes = rte->coltypmods = rte->colcollations = NIL;
	rte->securityQuals =
		NIL; /* applied to what is copied, by whoever reads it */
	dp_compat_ask_no_permission(rte);
	foreach_node (TargetEntry, entry, rows->targetList)
	{
		Node *column = (Node *) entry->expr;

		rte->coltypes = lappend_oid(rte->coltypes, exprType(column));
		rte->coltypmods = lappend_int(rte->coltypmods, exprTypmod(column));
		rte->colcollations =
			lappend_oid(rte->colcollations, exprCollation(column));
	}
}

/* Whether privileges are granted to others than the owner. */
static bool
grants_to_others(Datum value, bool isnull, Oid owner)
{
	Acl *acl;
	int i;

	if (isnull)
		return false;
	acl = DatumGetAclP(value);
	for (i = 0; i < ACL_NUM(acl); i++)
	{
		if (ACL_DAT(acl)[i].ai_grantee != owner)
			return true;
	}
	return false;
}

static bool
column_grants_to_others(Oid relation, AttrNumber column, Oid owner)
{
	HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation),
									  Int16GetDatum(column));
	bool isnull;
	bool result;
	Datum acl;

	if (!HeapTupleIsValid(tuple))
		return true;
	acl = SysCacheGetAttr(ATTNUM, tuple, Anum_pg_attribute_attacl, &isnull);
	result = grants_to_others(acl, isnull, owner);
	ReleaseSysCache(tuple);
	return result;
}

/*
 * Whether others than a role can reach the relation: as its owner, by
 * privileges on it or on tables that it consists of, or where a foreign server
 * keeps it.
 */
static bool
is_open_to_others(Oid relation, Oid role)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Form_pg_class form;
	AttrNumber column;
	bool isnull;
	bool result;
	Datum acl;

	if (!HeapTupleIsValid(tuple))
		return true;
	form = (Form_pg_class) GETSTRUCT(tuple);
	acl = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &isnull);
	result = form->relowner != role || form->relkind != RELKIND_RELATION ||
			 form->relhassubclass || grants_to_others(acl, isnull, role);
	for (column = 1; !result && column <= form->relnatts; column++)
		result = column_grants_to_others(relation, column, role);
	ReleaseSysCache(tuple);
	return result;
}

bool
dp_row_copies_are_needed(const DpRelations *relations)
{
	Oid owner = dp_owner_of(linitial_oid(relations->oids));
	ListCell *cell;

	if (OidIsValid(dp_citus_first_distributed(relations->oids)))
		return true;
	foreach (cell, relations->oids)
	{
		if (is_open_to_others(lfirst_oid(cell), owner))
			return true;
	}
	return false;
}

/* What some statements read of a relation, at any depth. */
typedef struct Reading
{
	Oid relation;
	Query *reader;		/* one that reads it, if any */
	int rtindex;		/* there */
	Bitmapset *columns; /* that are named */
} Reading;

static bool
is_read(const Reading *reading, const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_RELATION && rte->relid == reading->relation;
}

static DpVisit
find_reading(Node *node, const List *around, void *context)
{
	Reading *named = context;

	if (IsA(node, Var))
	{
		const Var *column = (const Var *) node;
		const Query *query = list_nth(around, (int) column->varlevelsup);
		const RangeTblEntry *rte = rt_fetch(column->varno, query->rtable);

		if (is_read(named, rte) && column->varattno > 0)
			named->columns = bms_add_member(named->columns, column->varattno);
	}
	if (IsA(node, Query))
	{
		foreach_ptr (RangeTblEntry, one, ((Query *) node)->rtable)
		{
			if (!is_read(named, one))
				continue;
			named->reader = (Query *) node;
			named->rtindex = foreach_current_index(one) + 1;
		}
	}
	return DP_VISIT_PARTS;
}

/*
 * Refuses a column whose values others' code may check or convert, or may put together
 * with other values, or that are written on other nodes as their settings say.
 */
static void
check_type(Oid relation, AttrNumber column)
{
	Oid owner = dp_owner_of(relation);
	Oid type;
	Oid collation;
	int32 modifier;

	get_atttypetypmodcoll(relation, column, &type, &modifier, &collation);
	if (!dp_type_owner_is(type, owner) ||
		!dp_type_owner_is_of_collation(collation, owner))
		dp_statement_error(
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("column \"%s\" of \"%s\", which Citus distributes, has a "
					"type or a collation that its owner does not own",
					get_attname(relation, column, false),
					get_rel_name(relation)),
			 errhint("Its values come from other nodes as the owner of the "
					 "type or collation defines it. Ask about other columns, "
					 "or have it made one of the server's.")));
	if (dp_citus_sends_text(type))
		dp_statement_error(
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("column \"%s\" of \"%s\", which Citus distributes, has a "
					"type that Citus sends as text",
					get_attname(relation, column, false),
					get_rel_name(relation)),
			 errhint("What other nodes write by their settings may be read as "
					 "something else here. Ask about other columns.")));
}

void
dp_row_copies_check_types(const DpRelations *relations, List *statements)
{
	ListCell *cell;

	foreach (cell, relations->oids)
	{
		Reading named = {.relation = lfirst_oid(cell)};
		int column = -1;

		if (!dp_citus_distributes(named.relation))
			continue;
		(void) dp_search((Node *) statements, find_reading, &named,
						 QTW_IGNORE_JOINALIASES);
		while ((column = bms_next_member(named.columns, column)) >= 0)
			check_type(named.relation, (AttrNumber) column);
	}
}

/* A relation's rows, wherever a statement reads them. */
typedef struct Copied
{
	Oid relation;
	const Query *rows;
	char *name;
} Copied;

static bool
read_copy(Node *node, void *context)
{
	const Copied *copied = context;
	RangeTblEntry *rte = (RangeTblEntry *) node;

	if (IsA(node, RangeTblEntry) && rte->rtekind == RTE_RELATION &&
		rte->relid == copied->relation)
		dp_row_copies_read(rte, copied->rows, pstrdup(copied->name));
	return false;
}

/* The copy of a relation that no statement reads any longer: it has no rows. */
static Query *
no_rows(void)
{
	Query *query = dp_query_make();

	query->jointree->quals = makeBoolConst(false, false);
	return query;
}

List *
dp_row_copies_read_all(const DpRelations *relations, List *statements,
					   List *conditions)
{
	List *copies = NIL;
	ListCell *relation;

	if (!(list_length(relations->oids) == 1
			  ? dp_citus_distributes(linitial_oid(relations->oids))
			  : dp_row_copies_are_needed(relations)))
		return NIL;
	foreach (relation, relations->oids)
	{
		Reading named = {.relation = lfirst_oid(relation)};
		Copied copied;
		Query *rows;

		(void) dp_search((Node *) statements, find_reading, &named,
						 QTW_IGNORE_JOINALIASES);
		rows = named.reader == NULL
				   ? no_rows()
				   : dp_row_copies_query(
						 named.reader, named.rtindex,
						 list_nth(conditions, foreach_current_index(relation)));
		keep_columns(rows, named.columns);
		copies = lappend(copies, rows);
		copied = (Copied){lfirst_oid(relation), rows,
						  dp_row_copies_name(list_length(copies))};
		(void) dp_search_any((Node *) statements, read_copy, &copied);
	}
	return copies;
}
