/*
 * key_domain.c
 *		Finds the public values of expressions.
 *
 * A public set does not depend on the data: it follows from types, constants,
 * constraints and declarations. It may contain values that no row can have;
 * rows with a value that it lacks are left out of the answer.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/calls.h"
#include "gate/question/expressions/compare_bytes.h"
#include "gate/question/expressions/nullability.h"
#include "gate/question/keys/bounded_values.h"
#include "gate/question/keys/key_domain.h"
#include "gate/question/keys/stated_values.h"
#include "gate/question/relations/declared.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/reference.h"
#include "gate/question/relations/code_of_others.h"
#include "ledger/declared_values.h"
#include "server/compat.h"
#include "server/settings.h"
#include "server/stack.h"

/* The values of an expression, and how they are known. */
typedef struct Values
{
	const DpRelations *relations;
	List *sources;
	Oid reader;		/* who reads those that are queries */
	bool has_query; /* there is one */
	bool is_nullable;
	bool is_open;
	const char *words; /* NULL: constants */
	char *missing;	   /* what the owner could declare; or NULL */
} Values;

/* Up to this number, values are compared one by one; more are sorted first. */
#define SEARCHED_MAX 1000

static bool find_values(Node *node, Values *values);

static void
set_words(Values *values, const char *words)
{
	if (values->words == NULL)
		values->words = words;
	else if (strcmp(values->words, words) != 0)
		values->words = psprintf("%s, %s", values->words, words);
}

static void
add_value(Values *values, Oid type, Datum value)
{
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	values->sources =
		lappend(values->sources, makeConst(type, -1, get_typcollation(type),
										   length, value, false, by_value));
}

/* SELECT unnest(enum_range(NULL::type)) */
static Query *
enum_query(Oid type)
{
	Query *query = makeNode(Query);
	Oid array = get_array_type(type);
	FuncExpr *range =
		makeFuncExpr(F_ENUM_RANGE_ANYENUM, array,
					 list_make1(makeNullConst(type, -1, InvalidOid)),
					 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	FuncExpr *unnest =
		makeFuncExpr(F_UNNEST_ANYARRAY, type, list_make1(range), InvalidOid,
					 InvalidOid, COERCE_EXPLICIT_CALL);

	unnest->funcretset = true;
	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->hasTargetSRFs = true;
	query->jointree = makeFromExpr(NIL, NULL);
	query->targetList =
		list_make1(makeTargetEntry((Expr *) unnest, 1, "k", false));
	return query;
}

/* Values that a query finds. False where another role reads others. */
static bool
add_query(Values *values, Query *query, Oid reader)
{
	if (values->has_query && values->reader != reader)
		return false;
	values->has_query = true;
	values->reader = reader;
	values->sources = lappend(values->sources, query);
	return true;
}

/* By type alone: truth values and enums. */
static bool
find_by_type(Node *node, Values *values)
{
	Oid type = getBaseType(exprType(node));

	if (type == BOOLOID)
	{
		add_value(values, BOOLOID, BoolGetDatum(false));
		add_value(values, BOOLOID, BoolGetDatum(true));
		set_words(values, "boolean");
	}
	else if (type_is_enum(type))
	{
		if (!add_query(values, enum_query(type), InvalidOid))
			return false;
		set_words(values, psprintf("enum %s", format_type_be(type)));
	}
	else
		return false;
	values->is_nullable |= !dp_gate_is_never_null(values->relations, node);
	return true;
}

/* The column has got another type since its values were declared. */
pg_noreturn static void
refuse_declared(Oid relation, AttrNumber column)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("the values declared for column \"%s\" of relation \"%s\" "
				"do not fit its type",
				get_attname(relation, column, false), get_rel_name(relation)),
		 errhint("The owner must declare them again with "
				 "dp_noise.set_values(); null removes them.")));
}

/* A declared value as one of the column's type. */
static Datum
read_declared(Oid relation, AttrNumber column, Oid type, int32 typmod,
			  char *text)
{
	MemoryContext context = CurrentMemoryContext;
	volatile Datum value = (Datum) 0;
	Oid input;
	Oid io_param;

	getTypeInputInfo(type, &input, &io_param);
	PG_TRY();
	{
		value = OidInputFunctionCall(input, text, io_param, typmod);
	}
	PG_CATCH();
	{
		int sqlstate = geterrcode();

		if (ERRCODE_TO_CATEGORY(sqlstate) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		refuse_declared(relation, column);
	}
	PG_END_TRY();
	return value;
}

/* Values that the owner declared for a column. */
static bool
find_declared(Var *var, Values *values)
{
	int32 typmod = var->vartypmod;
	Oid type = getBaseTypeAndTypmod(var->vartype, &typmod);
	Oid relation;
	AttrNumber column;
	List *texts;
	ListCell *cell;
	int nest;

	if (!dp_gate_declared_origin(values->relations, var, &relation, &column) ||
		!dp_gate_values(relation, column, &texts))
		return false;
	if (!dp_values_can_be_declared(type))
		refuse_declared(relation, column);
	nest = dp_setting_plain_texts();
	foreach (cell, texts)
		add_value(values, var->vartype,
				  read_declared(relation, column, type, typmod, lfirst(cell)));
	AtEOXact_GUC(true, nest);
	values->is_open = true;
	set_words(values, "declared values");
	return true;
}

/* A column of something public: all values that it has there. */
static bool
find_of_public(const DpPublic *public, Var *var, AttrNumber column,
			   Values *values)
{
	if (!add_query(values, dp_gate_public_values(public, column), InvalidOid))
		return false;
	set_words(values, psprintf("column of %s", quote_identifier(public->name)));
	values->is_nullable |=
		!dp_gate_is_never_null(values->relations, (Node *) var);
	return true;
}

static bool find_of_bounds(Node *node, Values *values);

/* Finds what somebody else wrote, or what is about whoever evaluates it. */
static bool
of_reader_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, SubLink) || IsA(node, SQLValueFunction) ||
		   dp_code_of_others(node) != DP_NO_CODE ||
		   expression_tree_walker(node, of_reader_walker, context);
}

/*
 * What a column's foreign key refers to: the query, as its owner reads it, or
 * NULL. The policies in it are those for whoever asks, but the owner evaluates
 * them: where that could be told, or could run anything else, there are no
 * values.
 */
static Query *
find_referred(Oid relation, AttrNumber column, Oid *referred, Oid *reader)
{
	Query *query = dp_gate_reference_query(relation, column, referred, reader);
	RangeTblEntry *rte =
		query == NULL ? NULL : linitial_node(RangeTblEntry, query->rtable);

	if (rte != NULL && rte->securityQuals != NIL && *reader == GetUserId())
		*reader = InvalidOid; /* policies of their own */
	else if (rte == NULL || of_reader_walker((Node *) rte->securityQuals, NULL))
		return NULL;
	return query;
}

static bool
find_of_column(Var *var, Values *values)
{
	const DpPublic *public;
	Query *query;
	Oid relation;
	Oid referred;
	Oid reader;
	AttrNumber column;

	if (!find_declared(var, values))
	{
		if (dp_gate_public_origin(values->relations, var, &public, &column) &&
			public->is_shown)
			return find_of_public(public, var, column, values);
		query = !dp_gate_protected_origin(values->relations, var, &relation,
										  &column)
					? NULL
					: find_referred(relation, column, &referred, &reader);
		if (query == NULL || !add_query(values, query, reader))
			return find_by_type((Node *) var, values) ||
				   find_of_bounds((Node *) var, values);
		set_words(values, psprintf("foreign key to %s",
								   quote_identifier(get_rel_name(referred))));
	}
	values->is_nullable |=
		!dp_gate_is_never_null(values->relations, (Node *) var);
	return true;
}

static bool
find_of_case(Node *node, Values *values)
{
	CaseExpr *expr = castNode(CaseExpr, node);
	ListCell *cell;

	foreach (cell, expr->args)
	{
		if (!find_values((Node *) lfirst_node(CaseWhen, cell)->result, values))
			return false;
	}
	if (expr->defresult == NULL)
	{
		values->is_nullable = true;
		return true;
	}
	return find_values((Node *) expr->defresult, values);
}

static bool
find_of_coalesce(Node *node, Values *values)
{
	CoalesceExpr *expr = castNode(CoalesceExpr, node);
	bool is_nullable = values->is_nullable;
	ListCell *cell;

	foreach (cell, expr->args)
	{
		if (!find_values(lfirst(cell), values))
			return false;
	}
	values->is_nullable =
		is_nullable || !dp_gate_is_never_null(values->relations, (Node *) expr);
	return true;
}

static bool
find_of_null_if(Node *node, Values *values)
{
	values->is_nullable = true;
	return find_values(linitial(castNode(NullIfExpr, node)->args), values);
}

/*
 * Compares values by their bytes: equal values with different bytes stay,
 * which does no harm.
 */
static int
compare_values(const ListCell *a, const ListCell *b)
{
	const Const *left = lfirst_node(Const, a);
	const Const *right = lfirst_node(Const, b);
	Size size;
	Size other;
	int result;

	if (left->constbyval)
		return left->constvalue < right->constvalue	  ? -1
			   : left->constvalue > right->constvalue ? 1
													  : 0;
	size = datumGetSize(left->constvalue, false, left->constlen);
	other = datumGetSize(right->constvalue, false, right->constlen);
	result = memcmp(DatumGetPointer(left->constvalue),
					DatumGetPointer(right->constvalue), Min(size, other));
	if (result != 0)
		return result;
	return size < other ? -1 : size > other ? 1 : 0;
}

static bool
has_value(const List *values, const ListCell *value)
{
	ListCell *cell;

	foreach (cell, values)
	{
		if (compare_values(cell, value) == 0)
			return true;
	}
	return false;
}

/*
 * Removes duplicates, where all values are constants; many values are
 * reordered.
 */
static List *
distinct_values(List *values)
{
	bool is_sorted = list_length(values) > SEARCHED_MAX;
	List *result = NIL;
	ListCell *cell;

	foreach (cell, values)
	{
		if (!IsA(lfirst(cell), Const))
			return values;
	}
	if (is_sorted)
		list_sort(values, compare_values);
	foreach (cell, values)
	{
		ListCell last = {.ptr_value = result == NIL ? NULL : llast(result)};

		if (result != NIL && is_sorted ? compare_values(&last, cell) != 0
									   : !has_value(result, cell))
			result = lappend(result, lfirst(cell));
	}
	return result;
}

/*
 * The values that WHERE leaves the expression; of a range only if they are
 * few.
 */
static bool
find_stated(Node *node, Values *values)
{
	List *stated = dp_gate_stated_values(node, values->relations);

	if (stated == NIL)
		return false;
	values->sources = list_concat(values->sources, distinct_values(stated));
	set_words(values, "values of the conditions");
	return true;
}

/* The arguments of a call, in the node itself. */
static List *
arguments_of(Node *node)
{
	return IsA(node, OpExpr)	 ? ((OpExpr *) node)->args
		   : IsA(node, FuncExpr) ? ((FuncExpr *) node)->args
								 : list_make1(((CoerceViaIO *) node)->arg);
}

/* The one argument that is no constant; NULL where there are more. */
static ListCell *
variable_of(List *args)
{
	ListCell *variable = NULL;
	ListCell *cell;

	foreach (cell, args)
	{
		if (IsA(lfirst(cell), Const))
			continue;
		if (variable != NULL)
			return NULL;
		variable = cell;
	}
	return variable;
}

/* A call of one of its values, as it is computed for a row. */
static Node *
image_of(Node *node, int argno, Node *value)
{
	Node *image = (Node *) copyObject(node);

	if (IsA(image, CoerceViaIO))
		((CoerceViaIO *) image)->arg = (Expr *) copyObject(value);
	else
		lfirst(list_nth_cell(arguments_of(image), argno)) = copyObject(value);
	image = dp_gate_wrap_expression(image);
	dp_gate_compare_bytes_of(image);
	return eval_const_expressions(NULL, image);
}

/*
 * The results of a call whose arguments are constants and one expression with
 * listed values.
 */
static bool
find_of_images(Node *node, Values *values)
{
	Values inner = {.relations = values->relations};
	List *args = arguments_of(node);
	ListCell *variable = variable_of(args);
	List *images = NIL;
	ListCell *cell;

	if (variable == NULL || dp_gate_depends_on_zone(node) ||
		!find_values(lfirst(variable), &inner))
		return false;
	foreach (cell, inner.sources)
	{
		Node *image;

		if (IsA(lfirst(cell), Query))
			return false;
		image = image_of(node, list_cell_number(args, variable), lfirst(cell));
		if (!IsA(image, Const) && contain_mutable_functions(image))
			return false;
		if (IsA(image, Const) && ((Const *) image)->constisnull)
			inner.is_nullable = true;
		else
			images = lappend(images, image);
	}
	values->sources = list_concat(values->sources, distinct_values(images));
	values->is_nullable |= inner.is_nullable;
	values->is_open |= inner.is_open;
	if (inner.words != NULL)
		set_words(values, inner.words);
	return true;
}

/* Whatever is computed from one column between declared bounds. */
static bool
find_of_bounds(Node *node, Values *values)
{
	List *images = NIL;
	bool is_nullable = false;
	bool is_stated;
	char *missing;

	if (!dp_gate_bounded_values(node, values->relations, &images, &is_nullable,
								&is_stated, &missing))
	{
		if (values->missing == NULL)
			values->missing = missing;
		return false;
	}
	values->sources = list_concat(values->sources, distinct_values(images));
	values->is_nullable |= is_nullable;
	values->is_open = true;
	set_words(values,
			  is_stated ? "bounds of the conditions" : "declared bounds");
	return true;
}

static bool
find_of_call(Node *node, Values *values)
{
	return find_by_type(node, values) || find_of_images(node, values) ||
		   find_of_bounds(node, values);
}

/*
 * Finds values by the parts of an expression, or else as computed from one
 * column.
 */
static bool
find_by_parts(Node *node, bool (*find)(Node *, Values *), Values *values)
{
	Values before = *values;

	before.sources = list_copy(values->sources);
	if (find(node, values))
		return true;
	before.missing = values->missing;
	*values = before;
	return find_of_bounds(node, values);
}

static bool
find_values(Node *node, Values *values)
{
	dp_stack_enter();
	if (!IsA(node, Const) && !IsA(node, Param) && find_stated(node, values))
		return true;
	switch (nodeTag(node))
	{
		case T_Const:
			if (((Const *) node)->constisnull)
				values->is_nullable = true;
			else
				values->sources = lappend(values->sources, node);
			return true;
		case T_Param:
			values->sources = lappend(values->sources, node);
			return true;
		case T_Var:
			return find_of_column((Var *) node, values);
		case T_RelabelType:
			return find_values((Node *) ((RelabelType *) node)->arg, values);
		case T_CaseExpr:
			return find_by_parts(node, find_of_case, values);
		case T_CoalesceExpr:
			return find_by_parts(node, find_of_coalesce, values);
		case T_NullIfExpr:
			return find_by_parts(node, find_of_null_if, values);
		case T_FuncExpr:
		case T_OpExpr:
		case T_CoerceViaIO:
			return find_of_call(node, values);
		default:
			return find_by_type(node, values) || find_of_bounds(node, values);
	}
}

bool
dp_gate_find_domain(DpKey *key, const DpRelations *relations)
{
	Values values = {.relations = relations};

	if (!find_values(key->expression, &values))
	{
		key->missing = values.missing;
		return false;
	}
	key->sources = copyObject(values.sources);
	key->reader = values.reader;
	key->is_nullable = values.is_nullable;
	key->is_open = values.is_open;
	key->domain = pstrdup(values.words == NULL ? "constants" : values.words);
	return true;
}
