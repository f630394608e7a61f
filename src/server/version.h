/*
 * version.h
 *		The version of the library, and that of the extension in the database.
 *
 * They differ between an installation of new files and the restart of the server,
 * which preloads the library, or ALTER EXTENSION ... UPDATE, which runs the script.
 */
#ifndef DP_SERVER_VERSION_H
#define DP_SERVER_VERSION_H

#include "postgres.h"

/* make lint compares it with dp_noise.control; make next has another one. */
#ifndef DP_VERSION
#define DP_VERSION "0.1.0"
#endif

/*
 * The version of the extension if it is another one than the library's, as a
 * palloc'd text; NULL if they agree, or there is no extension.
 */
extern char *dp_version_of_extension(void);

/* The library's, as one number: 10203 of 1.2.3. */
extern int dp_version_number(void);

/* What to do about that, for a hint. */
extern const char *dp_version_remedy(const char *of_extension);

/* Raises an error if they differ. */
extern void dp_check_version(void);

#endif
