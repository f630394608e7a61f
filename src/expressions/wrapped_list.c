/*
 * wrapped_list.c
 *		The server's functions that have a wrapped form, of numbers,
 *		texts and bytes. Others are in wrapped_types.c.
 *
 * Whoever adds a function has read its source, and that of what it calls, and
 * knows:
 *
 * - It is strict, or null has a meaning to it and the row says so. Its result
 *   depends only on its arguments, and on the time zone where the row says so.
 *   It has no side effects. It reads no table, no file, no catalogue except
 *   that of types, and no locale except the database's.
 * - Its arguments can only lead to errors that try.c catches; it holds nothing
 *   when it raises them. It raises no notices.
 * - Memory and stack are bounded where its arguments are (guards.h), or it has
 *   a guard of its own.
 *
 * An invalid field or format would fail for every row, and an answer made of
 * nothing but NULL would be charged. So such an argument must not depend on
 * rows, and is tried when the query is read.
 *
 * Texts are compared as the collation "C" does, byte by byte. Letters are those
 * of the database's collation, which every session looks up when it begins, or
 * of "C" (DP_RULE_LETTERS). Any other collation may be missing, and would then
 * fail for the first row that needs it (collations.h).
 *
 * Not listed, among others: functions of enums, which read the catalogue of
 * enum values, and variadic functions, which call output functions of any type
 * (the gate rewrites both: gate/read/expanded.h, gate/read/enums.h); casts of texts to timetz, which depend on the day; casts of
 * bytes to texts, which depend on a setting; conversions of encodings, which
 * users can define; money, which is printed by a locale.
 *
 * test/pgtap/expressions.sql compares each with the function itself over the
 * extremes of its types, and makes it fail again and again.
 */
#include "postgres.h"

#include "expressions/certainty.h"
#include "expressions/guards.h"
#include "expressions/wrapped_list.h"

/* clang-format off */
const DpWrapped dp_wrapped_list[] = {
	/* integers: overflow and division by zero, 22003 and 22012 (int.c, int8.c) */
	ARITHMETIC("int2", "int2 int2"),
	ARITHMETIC("int4", "int4 int4"),
	ARITHMETIC("int8", "int8 int8"),
	ARITHMETIC("int24", "int2 int4"),
	ARITHMETIC("int42", "int4 int2"),
	ARITHMETIC("int28", "int2 int8"),
	ARITHMETIC("int82", "int8 int2"),
	ARITHMETIC("int48", "int4 int8"),
	ARITHMETIC("int84", "int8 int4"),
	INTEGERS("int2"),
	INTEGERS("int4"),
	INTEGERS("int8"),
	IN_PLACE("int2", "int4", "dp_try_int2_int4"),
	IN_PLACE("int2", "int8", "dp_try_int2_int8"),
	IN_PLACE("int4", "int8", "dp_try_int4_int8"),
	FUNCTION("gcd", "int4 int4"),
	FUNCTION("gcd", "int8 int8"),
	FUNCTION("lcm", "int4 int4"),
	FUNCTION("lcm", "int8 int8"),
	FUNCTION("to_hex", "int4"),
	FUNCTION("to_hex", "int8"),
	FUNCTION("to_bin", "int4"),
	FUNCTION("to_bin", "int8"),
	FUNCTION("to_oct", "int4"),
	FUNCTION("to_oct", "int8"),
	FUNCTION("chr", "int4"),
	FUNCTION("int4", "bool"),
	FUNCTION("bool", "int4"),

	/* floating-point numbers: 22003, 22012, and 2201E, 2201F of their functions (float.c) */
	ARITHMETIC("float4", "float4 float4"),
	ARITHMETIC("float8", "float8 float8"),
	ARITHMETIC("float48", "float4 float8"),
	ARITHMETIC("float84", "float8 float4"),
	FUNCTION("float4um", "float4"),
	FUNCTION("float4up", "float4"),
	FUNCTION("float4abs", "float4"),
	FUNCTION("abs", "float4"),
	IN_PLACE("int2", "float4", "dp_try_int2_float4"),
	IN_PLACE("int4", "float4", "dp_try_int4_float4"),
	IN_PLACE("int8", "float4", "dp_try_int8_float4"),
	FUNCTION("numeric", "float4"),
	FUNCTION("float8um", "float8"),
	FUNCTION("float8up", "float8"),
	FUNCTION("float8abs", "float8"),
	FUNCTION("abs", "float8"),
	IN_PLACE("int2", "float8", "dp_try_int2_float8"),
	IN_PLACE("int4", "float8", "dp_try_int4_float8"),
	IN_PLACE("int8", "float8", "dp_try_int8_float8"),
	FUNCTION("numeric", "float8"),
	IN_PLACE("float4", "float8", "dp_try_float4_float8"),
	FUNCTION("dround", "float8"),
	FUNCTION("round", "float8"),
	FUNCTION("ceil", "float8"),
	FUNCTION("ceiling", "float8"),
	FUNCTION("floor", "float8"),
	FUNCTION("dtrunc", "float8"),
	FUNCTION("trunc", "float8"),
	FUNCTION("sign", "float8"),
	FUNCTION("dsqrt", "float8"),
	FUNCTION("sqrt", "float8"),
	FUNCTION("dcbrt", "float8"),
	FUNCTION("cbrt", "float8"),
	FUNCTION("exp", "float8"),
	FUNCTION("dexp", "float8"),
	FUNCTION("ln", "float8"),
	FUNCTION("dlog1", "float8"),
	FUNCTION("log", "float8"),
	FUNCTION("log10", "float8"),
	FUNCTION("dlog10", "float8"),
	FUNCTION("sin", "float8"),
	FUNCTION("cos", "float8"),
	FUNCTION("tan", "float8"),
	FUNCTION("asin", "float8"),
	FUNCTION("acos", "float8"),
	FUNCTION("atan", "float8"),
	FUNCTION("cot", "float8"),
	FUNCTION("sinh", "float8"),
	FUNCTION("cosh", "float8"),
	FUNCTION("tanh", "float8"),
	FUNCTION("asinh", "float8"),
	FUNCTION("acosh", "float8"),
	FUNCTION("atanh", "float8"),
	FUNCTION("sind", "float8"),
	FUNCTION("cosd", "float8"),
	FUNCTION("tand", "float8"),
	FUNCTION("cotd", "float8"),
	FUNCTION("asind", "float8"),
	FUNCTION("acosd", "float8"),
	FUNCTION("atand", "float8"),
	FUNCTION("atan2d", "float8 float8"),
	FUNCTION("erf", "float8"),
	FUNCTION("erfc", "float8"),
	FUNCTION("degrees", "float8"),
	FUNCTION("radians", "float8"),
	FUNCTION("power", "float8 float8"),
	FUNCTION("pow", "float8 float8"),
	FUNCTION("dpow", "float8 float8"),
	FUNCTION("atan2", "float8 float8"),
	FUNCTION("width_bucket", "float8 float8 float8 int4"),

	/*
	 * numeric: the same errors, of numbers of bounded length; NaN as an integer
	 * is 0A000 (numeric.c)
	 */
	IN_PLACE("numeric_add", "numeric numeric", "dp_try_numeric_add"),
	IN_PLACE("numeric_sub", "numeric numeric", "dp_try_numeric_sub"),
	IN_PLACE("numeric_mul", "numeric numeric", "dp_try_numeric_mul"),
	IN_PLACE("numeric_div", "numeric numeric", "dp_try_numeric_div"),
	FUNCTION("numeric_mod", "numeric numeric"),
	FUNCTION("mod", "numeric numeric"),
	FUNCTION("div", "numeric numeric"),
	FUNCTION("numeric_div_trunc", "numeric numeric"),
	FUNCTION("numeric_larger", "numeric numeric"),
	FUNCTION("numeric_smaller", "numeric numeric"),
	FUNCTION("numeric_uminus", "numeric"),
	FUNCTION("numeric_uplus", "numeric"),
	FUNCTION("numeric_abs", "numeric"),
	FUNCTION("scale", "numeric"),
	FUNCTION("min_scale", "numeric"),
	FUNCTION("trim_scale", "numeric"),
	FUNCTION("abs", "numeric"),
	FUNCTION("sign", "numeric"),
	FUNCTION("ceil", "numeric"),
	FUNCTION("ceiling", "numeric"),
	FUNCTION("floor", "numeric"),
	RULED("sqrt", "numeric", dp_guard_sqrt, 0, 0),
	RULED("numeric_sqrt", "numeric", dp_guard_sqrt, 0, 0),
	FUNCTION("ln", "numeric"),
	FUNCTION("numeric_ln", "numeric"),
	FUNCTION("log", "numeric numeric"),
	RULED("exp", "numeric", dp_guard_exp, 0, 0),
	RULED("numeric_exp", "numeric", dp_guard_exp, 0, 0),
	RULED("power", "numeric numeric", dp_guard_power, 0, 0),
	RULED("pow", "numeric numeric", dp_guard_power, 0, 0),
	RULED("numeric_power", "numeric numeric", dp_guard_power, 0, 0),
	FUNCTION("round", "numeric int4"),
	FUNCTION("trunc", "numeric int4"),
	RULED("numeric", "numeric int4", NULL, 2, 0),
	FUNCTION("int2", "numeric"),
	IN_PLACE("int4", "numeric", "dp_try_int4_numeric"),
	FUNCTION("int8", "numeric"),
	FUNCTION("float4", "numeric"),
	FUNCTION("float8", "numeric"),
	FUNCTION("width_bucket", "numeric numeric numeric int4"),

	/* texts: by character, in the database's encoding, of bounded length; 22011, 22021 (varlena.c, oracle_compat.c, formatting.c) */
	CERTAIN("lower", "text", dp_certain_by_bytes, NULL, 0, DP_RULE_LETTERS),
	CERTAIN("upper", "text", dp_certain_by_bytes, NULL, 0, DP_RULE_LETTERS),
	RULED("initcap", "text", NULL, 0, DP_RULE_LETTERS),
	FUNCTION("length", "text"),
	FUNCTION("char_length", "text"),
	FUNCTION("character_length", "text"),
	FUNCTION("textlen", "text"),
	FUNCTION("octet_length", "text"),
	FUNCTION("text", "bpchar"),
	FUNCTION("btrim", "text"),
	FUNCTION("ltrim", "text"),
	FUNCTION("rtrim", "text"),
	FUNCTION("reverse", "text"),
	FUNCTION("md5", "text"),
	FUNCTION("ascii", "text"),
	FUNCTION("length", "bpchar"),
	FUNCTION("char_length", "bpchar"),
	FUNCTION("character_length", "bpchar"),
	FUNCTION("octet_length", "bpchar"),
	RULED("btrim", "text text", dp_guard_search, 0, 0),
	RULED("ltrim", "text text", dp_guard_search, 0, 0),
	RULED("rtrim", "text text", dp_guard_search, 0, 0),
	RULED("strpos", "text text", dp_guard_search, 0, 0),
	RULED("position", "text text", dp_guard_search, 0, 0),
	FUNCTION("starts_with", "text text"),
	FUNCTION("textcat", "text text"),
	FUNCTION("left", "text int4"),
	FUNCTION("right", "text int4"),
	FUNCTION("substr", "text int4"),
	FUNCTION("substr", "text int4 int4"),
	FUNCTION("substring", "text int4"),
	FUNCTION("substring", "text int4 int4"),
	FUNCTION("overlay", "text text int4"),
	FUNCTION("overlay", "text text int4 int4"),
	RULED("lpad", "text int4 text", dp_guard_pad, 0, 0),
	RULED("rpad", "text int4 text", dp_guard_pad, 0, 0),
	RULED("repeat", "text int4", dp_guard_repeat, 0, 0),
	RULED("replace", "text text text", dp_guard_replace, 0, 0),
	RULED("translate", "text text text", dp_guard_search, 0, 0),
	RULED("split_part", "text text int4", dp_guard_search, 0, 0),
	RULED("varchar", "varchar int4 bool", NULL, 6, 0),
	RULED("bpchar", "bpchar int4 bool", dp_guard_pad, 6, 0),
	FUNCTION("text", "bool"),
	FUNCTION("hashtext", "text"),
	FUNCTION("hashtextextended", "text int8"),
	RULED("string_to_array", "text text", dp_guard_split, 0, DP_RULE_NULLS),
	RULED("string_to_array", "text text text", dp_guard_split, 0, DP_RULE_NULLS),
	RULED("encode", "bytea text", dp_guard_encoding, 2, DP_RULE_PROBE | DP_RULE_EMPTY),
	RULED("decode", "text text", dp_guard_encoding, 2, DP_RULE_PROBE | DP_RULE_EMPTY),

	/* bytes (varlena.c) */
	COMPARISONS("bytea", "", "bytea bytea", 0),
	FUNCTION("length", "bytea"),
	FUNCTION("octet_length", "bytea"),
	FUNCTION("md5", "bytea"),
	FUNCTION("sha224", "bytea"),
	FUNCTION("sha256", "bytea"),
	FUNCTION("sha384", "bytea"),
	FUNCTION("sha512", "bytea"),
	FUNCTION("byteacat", "bytea bytea"),
	FUNCTION("substr", "bytea int4"),
	FUNCTION("substr", "bytea int4 int4"),
	FUNCTION("substring", "bytea int4"),
	FUNCTION("substring", "bytea int4 int4"),
	FUNCTION("get_byte", "bytea int4"),
	FUNCTION("get_bit", "bytea int8"),
	FUNCTION("bit_count", "bytea"),
	RULED("position", "bytea bytea", dp_guard_search, 0, 0),

	/* bits (varbit.c) */
	COMPARISONS("bit", "", "bit bit", 0),
	FUNCTION("bitand", "bit bit"),
	FUNCTION("bitor", "bit bit"),
	FUNCTION("bitxor", "bit bit"),
	FUNCTION("bitnot", "bit"),
	FUNCTION("length", "bit"),
	FUNCTION("bit_count", "bit"),
	FUNCTION("get_bit", "bit int4"),
	FUNCTION("int4", "bit"),
	FUNCTION("int8", "bit"),

	/* the order of texts, byte by byte (varlena.c, varchar.c) */
	CERTAIN("text_lt", "text text", dp_certain_by_bytes, NULL, 0, DP_RULE_BYTES),
	CERTAIN("text_le", "text text", dp_certain_by_bytes, NULL, 0, DP_RULE_BYTES),
	CERTAIN("text_gt", "text text", dp_certain_by_bytes, NULL, 0, DP_RULE_BYTES),
	CERTAIN("text_ge", "text text", dp_certain_by_bytes, NULL, 0, DP_RULE_BYTES),
	RULED("text_larger", "text text", NULL, 0, DP_RULE_BYTES),
	RULED("text_smaller", "text text", NULL, 0, DP_RULE_BYTES),
	RULED("bpcharlt", "bpchar bpchar", NULL, 0, DP_RULE_BYTES),
	RULED("bpcharle", "bpchar bpchar", NULL, 0, DP_RULE_BYTES),
	RULED("bpchargt", "bpchar bpchar", NULL, 0, DP_RULE_BYTES),
	RULED("bpcharge", "bpchar bpchar", NULL, 0, DP_RULE_BYTES),

	/* LIKE: 22025, a pattern that ends with its escape character (like.c) */
	CERTAIN("textlike", "text text", dp_certain_like, dp_guard_like, 0, DP_RULE_PROBE),
	CERTAIN("textnlike", "text text", dp_certain_like, dp_guard_like, 0, DP_RULE_PROBE),
	RULED("texticlike", "text text", dp_guard_like, 0, DP_RULE_PROBE | DP_RULE_LETTERS),
	RULED("texticnlike", "text text", dp_guard_like, 0, DP_RULE_PROBE | DP_RULE_LETTERS),
	CERTAIN("like", "text text", dp_certain_like, dp_guard_like, 0, DP_RULE_PROBE),
	CERTAIN("notlike", "text text", dp_certain_like, dp_guard_like, 0, DP_RULE_PROBE),
	RULED("bpcharlike", "bpchar text", dp_guard_like, 0, DP_RULE_PROBE),
	RULED("bpcharnlike", "bpchar text", dp_guard_like, 0, DP_RULE_PROBE),
	RULED("bpchariclike", "bpchar text", dp_guard_like, 0, DP_RULE_PROBE | DP_RULE_LETTERS),
	RULED("bpcharicnlike", "bpchar text", dp_guard_like, 0, DP_RULE_PROBE | DP_RULE_LETTERS),

	/* regular expressions that do not depend on rows: 2201B (regexp.c) */
	REGEXP("textregexeq", "text text", 2),
	REGEXP("textregexne", "text text", 2),
	REGEXP("texticregexeq", "text text", 2),
	REGEXP("texticregexne", "text text", 2),
	REGEXP("bpcharregexeq", "bpchar text", 2),
	REGEXP("bpcharregexne", "bpchar text", 2),
	REGEXP("bpcharicregexeq", "bpchar text", 2),
	REGEXP("bpcharicregexne", "bpchar text", 2),
	REGEXP("substring", "text text", 2),
	REGEXP("regexp_like", "text text", 2),
	REGEXP("regexp_like", "text text text", 6),
	REGEXP("regexp_count", "text text", 2),
	REGEXP("regexp_match", "text text", 2),
	REGEXP("regexp_match", "text text text", 6),
	REGEXP("regexp_count", "text text int4", 2),
	REGEXP("regexp_count", "text text int4 text", 10),
	REGEXP("regexp_instr", "text text", 2),
	REGEXP("regexp_instr", "text text int4", 2),
	REGEXP("regexp_instr", "text text int4 int4", 2),
	REGEXP("regexp_substr", "text text", 2),
	REGEXP("regexp_substr", "text text int4", 2),
	REGEXP("regexp_substr", "text text int4 int4", 2),
	REGEXP("regexp_substr", "text text int4 int4 text", 18),
	REGEXP("regexp_split_to_array", "text text", 2),
	REGEXP("regexp_split_to_array", "text text text", 6),
	RULED("regexp_replace", "text text text", dp_guard_regexp_replace, 6, DP_RULE_PROBE | DP_RULE_LETTERS),
	RULED("regexp_replace", "text text text text", dp_guard_regexp_replace, 14, DP_RULE_PROBE | DP_RULE_LETTERS),
};
/* clang-format on */

const size_t dp_wrapped_count = lengthof(dp_wrapped_list);
