/*
 * sha256.c
 *		SHA-256 of bytes in memory.
 *
 * OpenSSL looks the algorithm up by its name whenever a context begins with it, which
 * takes longer than a short hash. So the process has one context, which begins again.
 */
#include "postgres.h"

#include <openssl/evp.h>

#include "server/sha256.h"

void
dp_sha256(const void *bytes, Size size, unsigned char hash[DP_SHA256_SIZE])
{
	static EVP_MD_CTX *context = NULL;
	const EVP_MD *type = NULL; /* the one that the context has */

	if (context == NULL)
	{
		context = EVP_MD_CTX_new();
		type = EVP_sha256();
	}
	if (context != NULL && EVP_DigestInit_ex(context, type, NULL) == 1 &&
		EVP_DigestUpdate(context, bytes, size) == 1 &&
		EVP_DigestFinal_ex(context, hash, NULL) == 1)
		return;
	EVP_MD_CTX_free(context);
	context = NULL;
	ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}
