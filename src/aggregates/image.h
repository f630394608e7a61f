/*
 * image.h
 *		Values as 128 bits: equal values have equal images, different values
 *		different ones.
 *
 * So values of any type can be compared without its functions, and equal
 * values that look different (1.0 and 1.00, 0 and -0, texts padded with
 * blanks) have one image. Values of up to 15 bytes, numbers, dates and times
 * among them, are kept as they are. Longer ones become 120 bits of their
 * SHA-256: to find two different values with one image takes some 2^60
 * attempts, and they would then count once. Privacy does not depend on that.
 */
#ifndef DP_AGGREGATES_IMAGE_H
#define DP_AGGREGATES_IMAGE_H

#include "postgres.h"

#define DP_IMAGE_WORDS 4

typedef struct DpImage
{
	uint32 words[DP_IMAGE_WORDS];
} DpImage;

/*
 * How values of a type become images, for dp_image_of; InvalidOid for a type
 * that has none: only types of the server's own whose equality needs no
 * setting and no catalog, and enums. type: a base type. Texts are told apart by
 * their bytes, as under every deterministic collation.
 */
extern Oid dp_image_kind(Oid type);

/* The image of a value that is not null. */
extern DpImage dp_image_of(Oid kind, Datum value);

/* An even hash of it. */
static inline uint64
dp_image_hash(const DpImage *image)
{
	uint64 hash = ((uint64) image->words[0] << 32 | image->words[1]) *
				  UINT64CONST(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 32 ^
			((uint64) image->words[2] << 32 | image->words[3])) *
		   UINT64CONST(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 29) * UINT64CONST(0x94d049bb133111eb);
	return hash ^ hash >> 32;
}

/* The image of a point of a grid, and back. */
static inline DpImage
dp_image_of_point(int64 point)
{
	return (DpImage){
		{(uint32) (uint64) point, (uint32) ((uint64) point >> 32)}};
}

static inline int64
dp_image_point(const DpImage *image)
{
	return (int64) ((uint64) image->words[1] << 32 | image->words[0]);
}

static inline bool
dp_image_equal(const DpImage *a, const DpImage *b)
{
	return memcmp(a, b, sizeof(DpImage)) == 0;
}

#endif
