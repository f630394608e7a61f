/*
 * plain_text.c
 *		Settings under which values have one text.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "gate/question/relations/plain_text.h"

int
dp_gate_begin_plain_texts(void)
{
	static const char *const settings[][2] = {
		{"DateStyle", "ISO, YMD"},
		{"IntervalStyle", "postgres"},
		{"extra_float_digits", "1"},
		{"TimeZone", "UTC"},
	};
	int nest = NewGUCNestLevel();
	size_t i;

	for (i = 0; i < lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
								 false);
	return nest;
}
