/*
 * plain_text.c
 *		Settings under which values have one text.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "gate/question/relations/plain_text.h"
#include "server/settings.h"

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
		dp_setting_change(settings[i][0], settings[i][1]);
	return nest;
}
