/*
 * try.c
 *		Calls a function of the server, with NULL in place of its error.
 *
 * An error is caught without a subtransaction, which would cost more than most
 * functions do. That is sound for functions that hold nothing when they raise
 * an error: no lock, pin, open file, reference or snapshot that the end of a
 * transaction would have to release, and no session state half changed. The
 * listed functions (wrapped_list.c) compute from their arguments alone. They
 * allocate in the current memory context, which the executor resets after each
 * row. They cache only complete entries: formatting.c marks an entry as valid
 * once it is parsed, datetime.c and regexp.c store one when nothing can fail
 * any more. What they look up in the catalogue of types is released before they
 * compute.
 *
 * Errors that the arguments cause are caught:
 *
 * - class 22, data exceptions;
 * - 0A000, which the conversion of NaN to an integer raises, and extract() of an
 *   infinite date;
 * - 54000, a result that is longer than the server allows.
 *
 * All other errors propagate: cancellations, lack of memory or stack, and
 * internal errors. None of these may depend on a row, so for arguments that
 * could lead to one the result is NULL without a call (guards.h).
 *
 * Where the list says that a function raises none of these for its arguments
 * (DpWrappedCertainty in wrapped.h), nothing is caught.
 *
 * An error resets the count of held-off interrupts. Nothing holds them off
 * while expressions are evaluated; the count is restored all the same.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "catalog/pg_type.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "expressions/guards.h"
#include "expressions/kept_results.h"
#include "expressions/wrapped.h"
#include "server/compat.h"
#include "server/compat_permissions.h"

/* The function or cast that a wrapped form calls. */
typedef struct Original
{
	const DpWrapped *wrapped;
	FmgrInfo function;	   /* or, for a cast, the output function */
	FunctionCallInfo call; /* of the function; NULL for a cast */
	FmgrInfo input;		   /* of a cast */
	Oid io_param;		   /* of a cast */
	bool is_certain;	   /* no error has to be caught */
	bool is_by_size;	   /* the guard checks the first argument's size */
	Size passed;		   /* the greatest size that has passed the guard */
	Size limits[FUNC_MAX_ARGS]; /* most bytes of each; 0: fixed length */
	DpKeptResults *kept;		/* NULL: results are not kept */
	int varying;				/* the one argument that they are kept by */
} Original;

static bool
is_data_exception(int code)
{
	return ERRCODE_TO_CATEGORY(code) == ERRCODE_DATA_EXCEPTION ||
		   code == ERRCODE_FEATURE_NOT_SUPPORTED ||
		   code == ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

/* Called while an error is being handled. */
static void
forget_data_exception(MemoryContext context, uint32 interrupts, uint32 cancels)
{
	if (!is_data_exception(geterrcode()))
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	FlushErrorState();
	InterruptHoldoffCount = interrupts;
	QueryCancelHoldoffCount = cancels;
}

bool
dp_wrapped_call(FunctionCallInfo call, Datum *result)
{
	MemoryContext context = CurrentMemoryContext;
	uint32 interrupts = InterruptHoldoffCount;
	uint32 cancels = QueryCancelHoldoffCount;
	volatile bool passed = true;

	PG_TRY();
	{
		*result = FunctionCallInvoke(call);
	}
	PG_CATCH();
	{
		forget_data_exception(context, interrupts, cancels);
		passed = false;
	}
	PG_END_TRY();
	return passed;
}

/*
 * Reads a value from its text; false where the text is not a value of the type.
 */
static bool
cast(Original *original, Datum value, Datum *result)
{
	MemoryContext context = CurrentMemoryContext;
	uint32 interrupts = InterruptHoldoffCount;
	uint32 cancels = QueryCancelHoldoffCount;
	volatile bool passed = true;

	PG_TRY();
	{
		*result = InputFunctionCall(
			&original->input, OutputFunctionCall(&original->function, value),
			original->io_param, -1);
	}
	PG_CATCH();
	{
		forget_data_exception(context, interrupts, cancels);
		passed = false;
	}
	PG_END_TRY();
	return passed;
}

static Size
limit_of(Oid type)
{
	if (get_typlen(type) != -1)
		return 0;
	return type == NUMERICOID ? DP_GUARD_NUMERIC : DP_GUARD_VALUE;
}

static void
find_cast(Original *original, Oid from, Oid to, MemoryContext context)
{
	Oid function;
	bool is_varlena;

	original->wrapped = dp_wrapped_find_cast(from, to);
	getTypeOutputInfo(from, &function, &is_varlena);
	fmgr_info_cxt(function, &original->function, context);
	getTypeInputInfo(to, &function, &original->io_param);
	fmgr_info_cxt(function, &original->input, context);
}

/*
 * The function of the same name, without the prefix, and of the same
 * parameters.
 */
static void
find_function(Original *original, Form_pg_proc form, oidvector *types,
			  FunctionCallInfo call)
{
	Oid function = GetSysCacheOid3(
		PROCNAMEARGSNSP, Anum_pg_proc_oid,
		CStringGetDatum(NameStr(form->proname) + strlen(DP_WRAPPED_PREFIX)),
		PointerGetDatum(types), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));

	original->wrapped = OidIsValid(function) ? dp_wrapped_find(function) : NULL;
	if (original->wrapped == NULL)
		return;
	if (!dp_compat_may_execute(function, GetUserId()))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION,
					   get_func_name(function));
	fmgr_info_cxt(function, &original->function, call->flinfo->fn_mcxt);
	fmgr_info_set_expr(call->flinfo->fn_expr, &original->function);
	if (original->function.fn_retset)
		original->wrapped = NULL;
}

/* True if all arguments but the first are written as constants. */
static bool
are_others_constant(FunctionCallInfo call)
{
	int i;

	for (i = 1; i < call->nargs; i++)
	{
		if (dp_guard_constant(call, i) == NULL)
			return false;
	}
	return true;
}

/* Prepares the call of the original, except for its arguments. */
static void
prepare_call(Original *original, FunctionCallInfo call)
{
	const DpWrapped *wrapped = original->wrapped;

	original->call = MemoryContextAllocZero(
		call->flinfo->fn_mcxt, SizeForFunctionCallInfo(call->nargs));
	InitFunctionCallInfoData(*original->call, &original->function, call->nargs,
							 call->fncollation, NULL, NULL);
	original->is_certain =
		wrapped->certainty != NULL && wrapped->certainty(call);
	original->is_by_size =
		dp_guard_is_by_size(wrapped->guard) && are_others_constant(call);
}

/* Which argument alone is no constant; -1: there are more. */
static int
find_varying(FunctionCallInfo call)
{
	int varying = -1;
	int i;

	for (i = 0; i < call->nargs; i++)
	{
		if (dp_guard_constant(call, i) != NULL)
			continue;
		if (varying >= 0)
			return -1;
		varying = i;
	}
	return varying;
}

/* Lets results be kept where they may be, by one argument passed by value. */
static void
prepare_kept(Original *original, FunctionCallInfo call, Form_pg_proc form,
			 const oidvector *types)
{
	int varying;

	if ((original->wrapped->rules & DP_RULE_KEPT) == 0)
		return;
	varying = find_varying(call);
	if (varying < 0 || !get_typbyval(types->values[varying]))
		return;
	original->varying = varying;
	original->kept =
		dp_kept_results_make(call->flinfo->fn_mcxt, form->prorettype);
}

static Original *
prepare(FunctionCallInfo call, bool is_cast)
{
	MemoryContext context = call->flinfo->fn_mcxt;
	Original *original = MemoryContextAllocZero(context, sizeof(Original));
	HeapTuple tuple =
		SearchSysCache1(PROCOID, ObjectIdGetDatum(call->flinfo->fn_oid));
	Form_pg_proc form;
	oidvector *types;
	int i;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u",
			 call->flinfo->fn_oid);
	form = (Form_pg_proc) GETSTRUCT(tuple);
	types = buildoidvector(form->proargtypes.values, form->pronargs);
	for (i = 0; i < form->pronargs; i++)
		original->limits[i] = limit_of(types->values[i]);
	if (is_cast)
		find_cast(original, types->values[0], form->prorettype, context);
	else
		find_function(original, form, types, call);
	if (original->wrapped == NULL)
		elog(ERROR, "function %u is no wrapped form", call->flinfo->fn_oid);
	if (!is_cast)
	{
		prepare_call(original, call);
		prepare_kept(original, call, form, types);
	}
	ReleaseSysCache(tuple);
	call->flinfo->fn_extra = original;
	return original;
}

static bool
passes_guard(Original *original, FunctionCallInfo call)
{
	Size size;

	if (original->wrapped->guard == NULL)
		return true;
	if (!original->is_by_size)
		return original->wrapped->guard(call);
	size = dp_guard_size(call->args[0].value);
	if (size <= original->passed)
		return true;
	if (!original->wrapped->guard(call))
		return false;
	original->passed = size;
	return true;
}

static bool
is_within_bounds(Original *original, FunctionCallInfo call)
{
	int i;

	for (i = 0; i < call->nargs; i++)
	{
		if (original->limits[i] != 0 && !call->args[i].isnull &&
			!dp_guard_fits(call->args[i].value, original->limits[i]))
			return false;
	}
	return passes_guard(original, call);
}

/* What the original returns; null in place of an error. */
static NullableDatum
call_original(Original *original, FunctionCallInfo wrapped)
{
	FunctionCallInfo call = original->call;
	NullableDatum result = {(Datum) 0, true};
	int i;

	if (!is_within_bounds(original, wrapped))
		return result;
	call->isnull = false;
	for (i = 0; i < wrapped->nargs; i++)
		call->args[i] = wrapped->args[i];
	if (original->is_certain)
		result.value = FunctionCallInvoke(call);
	else if (!dp_wrapped_call(call, &result.value))
		return result;
	result.isnull = call->isnull;
	return result;
}

/* The same, by what was kept. */
static NullableDatum
find_or_call(Original *original, FunctionCallInfo wrapped)
{
	Datum argument = wrapped->args[original->varying].value;
	NullableDatum result;

	if (dp_kept_results_find(original->kept, argument, &result))
		return result;
	result = call_original(original, wrapped);
	if (!dp_kept_results_keep(original->kept, argument, result))
		original->kept = NULL;
	return result;
}

PG_FUNCTION_INFO_V1(dp_try);

/* A wrapped form: the function whose name comes after the prefix. */
Datum
dp_try(PG_FUNCTION_ARGS)
{
	Original *original = fcinfo->flinfo->fn_extra;
	NullableDatum result;

	if (original == NULL)
		original = prepare(fcinfo, false);
	result = original->kept != NULL ? find_or_call(original, fcinfo)
									: call_original(original, fcinfo);
	fcinfo->isnull = result.isnull;
	return result.value;
}

PG_FUNCTION_INFO_V1(dp_try_cast);

/* A wrapped cast by way of a text: from its argument's type to its result's. */
Datum
dp_try_cast(PG_FUNCTION_ARGS)
{
	Original *original = fcinfo->flinfo->fn_extra;
	Datum result;

	if (original == NULL)
		original = prepare(fcinfo, true);
	if (!is_within_bounds(original, fcinfo) ||
		!cast(original, PG_GETARG_DATUM(0), &result))
		PG_RETURN_NULL();
	return result;
}
