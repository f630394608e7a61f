/*
 * silence.c
 *		Reading protected rows without telling of it, whatever the session sets.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "gate/question/silence.h"
#include "server/resources.h"

int
dp_gate_begin_silence(void)
{
	static const char *const settings[][2] = {
		{"client_min_messages", "error"},
		{"track_counts", "off"},
		{"trace_sort", "off"}, /* where the server has it */
		{"log_temp_files", "-1"},
		{"auto_explain.log_min_duration", "-1"},

		/* dates and numbers have one text each */
		{"DateStyle", "ISO, YMD"},
		{"IntervalStyle", "postgres"},
		{"extra_float_digits", "1"},
	};
	int nest = NewGUCNestLevel();
	size_t i;

	for (i = 0; i < lengthof(settings); i++)
	{
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			(void) set_config_option(settings[i][0], settings[i][1], PGC_SUSET,
									 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
									 false);
	}
	dp_resources_fix();
	return nest;
}
