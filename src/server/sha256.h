/*
 * sha256.h
 *		SHA-256 of bytes in memory.
 */
#ifndef DP_SERVER_SHA256_H
#define DP_SERVER_SHA256_H

#define DP_SHA256_SIZE 32

/* Error: out_of_memory. */
extern void dp_sha256(const void *bytes, Size size,
					  unsigned char hash[DP_SHA256_SIZE]);

#endif
