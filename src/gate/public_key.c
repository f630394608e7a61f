/*
 * public_key.c
 *		Which keys are public, and their values.
 *
 * What is read here are facts about columns and types, what the owner declared,
 * and tables that the user may read: never a protected row.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "gate/expression.h"
#include "gate/plain_text.h"
#include "gate/protection.h"
#include "gate/public_key.h"
#include "gate/question.h"

/* Conversions that the parser adds, and that change no value, are left out. */
static Node *
strip(Node *key)
{
	while (IsA(key, RelabelType))
		key = (Node *) ((RelabelType *) key)->arg;
	return key;
}

/* Types whose comparison and hash are PostgreSQL's own, and cannot fail. */
static bool
is_listed_type(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case NAMEOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UUIDOID:
			return true;
		default:
			return get_typtype(type) == TYPTYPE_ENUM;
	}
}

/* The results of CASE when all are constants; NIL otherwise. */
static List *
constant_results(Node *key)
{
	CaseExpr *expr = (CaseExpr *) key;
	List *results = NIL;
	ListCell *cell;

	if (!IsA(key, CaseExpr))
		return NIL;
	foreach (cell, expr->args)
		results = lappend(results,
						  strip((Node *) lfirst_node(CaseWhen, cell)->result));
	if (expr->defresult != NULL)
		results = lappend(results, strip((Node *) expr->defresult));
	foreach (cell, results)
	{
		Node *result = lfirst(cell);

		if (!IsA(result, Const) &&
			!(IsA(result, Param) &&
			  ((Param *) result)->paramkind == PARAM_EXTERN))
			return NIL;
	}
	return results;
}

/* True when no row makes the expression null. */
static bool
never_null(Oid relation, Node *node)
{
	ListCell *cell;
	List *args;

	switch (nodeTag(node))
	{
		case T_Const:
			return !((Const *) node)->constisnull;
		case T_Var:
			return dp_gate_is_not_null(relation, ((Var *) node)->varattno);
		case T_RelabelType:
			return never_null(relation, (Node *) ((RelabelType *) node)->arg);
		case T_NullTest:
		case T_BooleanTest:
		case T_DistinctExpr:
			return true;
		case T_OpExpr:
			args = ((OpExpr *) node)->args;
			break;
		case T_BoolExpr:
			args = ((BoolExpr *) node)->args;
			break;
		case T_CaseExpr:
			args = constant_results(node);
			if (args == NIL || ((CaseExpr *) node)->defresult == NULL)
				return false;
			break;
		default:
			return false;
	}
	foreach (cell, args)
	{
		if (!never_null(relation, lfirst(cell)))
			return false;
	}
	return true;
}

/* How the values of a key are known; the name of the domain's kind. */
typedef enum Kind
{
	KIND_NONE,
	KIND_BOOLEAN,
	KIND_DECLARED,
	KIND_ENUM,
	KIND_CONSTANTS,
	KIND_FOREIGN_KEY
} Kind;

/* What was found out about a key. */
typedef struct Key
{
	Kind kind;
	Node *node; /* without relabelling */
	Oid type;
	List *values; /* declared: of text; constants: of expressions */
	Oid target;	  /* foreign key: the table and its column */
	AttrNumber target_column;
} Key;

static Key
classify(Oid relation, Node *expression)
{
	Key key = {.kind = KIND_NONE, .node = strip(expression)};
	AttrNumber column =
		IsA(key.node, Var) ? ((Var *) key.node)->varattno : InvalidAttrNumber;

	key.type = getBaseType(exprType(expression));
	if (!is_listed_type(key.type))
		return key;
	if (column > 0 && dp_gate_values(relation, column, &key.values))
		key.kind = KIND_DECLARED;
	else if (key.type == BOOLOID)
		key.kind = KIND_BOOLEAN;
	else if (get_typtype(key.type) == TYPTYPE_ENUM)
		key.kind = KIND_ENUM;
	else if ((key.values = constant_results(key.node)) != NIL)
		key.kind = KIND_CONSTANTS;
	else if (column > 0 &&
			 dp_gate_foreign_key(relation, column, &key.target,
								 &key.target_column) &&
			 get_atttype(key.target, key.target_column) == exprType(key.node))
		key.kind = KIND_FOREIGN_KEY;
	return key;
}

void
dp_gate_check_public_key(Oid relation, Node *key)
{
	if (classify(relation, key).kind == KIND_NONE)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("GROUP BY of values that are not public cannot be used in "
					"a query over a protected relation"),
			 errhint("Group by a boolean, an enum, CASE over constants, a "
					 "foreign key to a table that you may read, or a column "
					 "whose values the owner declares with "
					 "dp_noise.set_values."),
			 dp_gate_position(exprLocation(key))));
}

static void
add_enum_values(DpDomain *domain)
{
	Relation rel = table_open(EnumRelationId, AccessShareLock);
	Relation index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(domain->type));
	scan = systable_beginscan_ordered(rel, index, NULL, 1, &key);
	while (HeapTupleIsValid(
		tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
		dp_gate_domain_add(
			domain, ObjectIdGetDatum(((Form_pg_enum) GETSTRUCT(tuple))->oid));
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(rel, AccessShareLock);
}

/* Texts as dp_noise.set_values stored them. */
static void
add_declared_values(DpDomain *domain, List *texts)
{
	int nest = dp_gate_begin_plain_texts();
	Oid input;
	Oid io_param;
	ListCell *cell;

	getTypeInputInfo(domain->type, &input, &io_param);
	foreach (cell, texts)
		dp_gate_domain_add(
			domain, OidInputFunctionCall(input, lfirst(cell), io_param, -1));
	AtEOXact_GUC(true, nest);
}

/* A null among them is the null of the key. */
static void
add_constants(DpDomain *domain, List *constants, ParamListInfo params)
{
	ListCell *cell;

	foreach (cell, constants)
	{
		Const *constant = (Const *) eval_const_expressions(
			NULL, dp_gate_replace_params(lfirst(cell), params));

		if (!IsA(constant, Const))
			elog(ERROR, "a group key is not constant");
		if (!constant->constisnull)
			dp_gate_domain_add(domain, constant->constvalue);
	}
}

/* Reads the values of a column that the user may read, as that user. */
static void
add_target_values(DpDomain *domain, Oid target, AttrNumber column)
{
	MemoryContext context = CurrentMemoryContext;
	char *name = get_attname(target, column, false);
	char *sql = psprintf("SELECT DISTINCT %s FROM %s WHERE %s IS NOT NULL "
						 "ORDER BY 1",
						 quote_identifier(name),
						 quote_qualified_identifier(
							 get_namespace_name(get_rel_namespace(target)),
							 get_rel_name(target)),
						 quote_identifier(name));
	uint64 i;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to the server's SQL interface");
	PushActiveSnapshot(GetTransactionSnapshot());
	if (SPI_execute(sql, true, DP_COMBINATIONS_MAX + 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read the values of a foreign key");
	MemoryContextSwitchTo(context);
	for (i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Datum value = SPI_getbinval(SPI_tuptable->vals[i],
									SPI_tuptable->tupdesc, 1, &isnull);

		dp_gate_domain_add(domain,
						   datumCopy(value, domain->by_value, domain->length));
	}
	PopActiveSnapshot();
	SPI_finish();
}

DpDomain *
dp_gate_public_domain(Oid relation, Node *expression, ParamListInfo params)
{
	Key key = classify(relation, expression);
	DpDomain *domain =
		dp_gate_domain_create(key.type, exprCollation(expression));

	switch (key.kind)
	{
		case KIND_DECLARED:
			domain->kind = "declared values";
			add_declared_values(domain, key.values);
			break;
		case KIND_BOOLEAN:
			domain->kind = "boolean";
			dp_gate_domain_add(domain, BoolGetDatum(false));
			dp_gate_domain_add(domain, BoolGetDatum(true));
			break;
		case KIND_ENUM:
			domain->kind = "enum";
			add_enum_values(domain);
			break;
		case KIND_CONSTANTS:
			domain->kind = "constants";
			add_constants(domain, key.values, params);
			break;
		case KIND_FOREIGN_KEY:
			domain->kind = "foreign key";
			add_target_values(domain, key.target, key.target_column);
			break;
		case KIND_NONE:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the values of a group key are no longer public"),
					 errhint("Ask again.")));
	}
	domain->has_null = !never_null(relation, key.node);
	return domain;
}
