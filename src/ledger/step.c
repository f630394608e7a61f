/*
 * step.c
 *		Stops a process where a test wants it; empty in ordinary builds.
 */
#include "postgres.h"

#include "ledger/step.h"

#ifdef DP_STEPS

#include <fcntl.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/pmsignal.h"

#define DIRECTORY "dp_noise_steps" /* processes are in the data directory */

static void
tell(const char *name)
{
	char path[MAXPGPATH];
	char pid[16];
	int file;

	snprintf(path, sizeof(path), "%s/%s.reached", DIRECTORY, name);
	snprintf(pid, sizeof(pid), "%d\n", MyProcPid);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || write(file, pid, strlen(pid)) < 0)
		elog(PANIC, "could not write \"%s\": %m", path);
	close(file);
}

void
dp_step(const char *name)
{
	char path[MAXPGPATH];
	int waits = 0; /* longer ones after a while: many processes may wait */

	snprintf(path, sizeof(path), "%s/%s", DIRECTORY, name);
	if (access(path, F_OK) != 0)
		return;
	tell(name);
	while (access(path, F_OK) == 0)
	{
		if (!PostmasterIsAlive())
			_exit(1);
		pg_usleep(waits++ < 200 ? 1000 : 50000);
	}
}

#endif
