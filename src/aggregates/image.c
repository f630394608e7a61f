/*
 * image.c
 *		Images of values, by type.
 */
#include "postgres.h"

#include <math.h>
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/inet.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "aggregates/image.h"
#include "core/int128.h"
#include "server/compat.h"
#include "server/sha256.h"

/*
 * Values of up to this many bytes are kept as they are; the last byte is their
 * number.
 */
#define BYTES_MAX (sizeof(DpImage) - 1)

/* The last byte of an image that is a hash. */
#define IS_HASHED 0xff

StaticAssertDecl(UUID_LEN == sizeof(DpImage), "a uuid is an image");

Oid
dp_image_kind(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case CHAROID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case CASHOID:
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case TEXTOID:
		case BPCHAROID:
		case NAMEOID:
		case BYTEAOID:
		case BITOID:
		case VARBITOID:
		case INETOID:
		case MACADDROID:
		case MACADDR8OID:
		case UUIDOID:
			return type;
		case VARCHAROID:
			return TEXTOID;
		case CIDROID:
			return INETOID;
		default:
			return type_is_enum(type) ? ANYENUMOID : InvalidOid;
	}
}

static DpImage
of_bytes(const void *bytes, size_t length)
{
	unsigned char room[DP_SHA256_SIZE] = {0};
	DpImage image;

	if (length > BYTES_MAX)
	{
		dp_sha256(bytes, length, room);
		room[BYTES_MAX] = IS_HASHED;
	}
	else
	{
		memcpy(room, bytes, length);
		room[BYTES_MAX] = (unsigned char) length;
	}
	memcpy(&image, room, sizeof(image));
	return image;
}

static DpImage
of_integer(int64 value)
{
	DpImage image = {
		{(uint32) (uint64) value, (uint32) ((uint64) value >> 32)}};

	return image;
}

/* 0 and -0 are equal, and every NaN is. */
static DpImage
of_double(double value)
{
	int64 bits;

	if (isnan(value))
		value = get_float8_nan();
	else if (value == 0)
		value = 0;
	memcpy(&bits, &value, sizeof(bits));
	return of_integer(bits);
}

/* Intervals are compared with months of 30 days and days of 24 hours. */
static DpImage
of_interval(const Interval *interval)
{
	dp_int128 span =
		((dp_int128) interval->month * DAYS_PER_MONTH + interval->day) *
			USECS_PER_DAY +
		interval->time;
	DpImage image;

	memcpy(&image, &span, sizeof(image));
	return image;
}

static DpImage
of_time_with_zone(const TimeTzADT *value)
{
	DpImage image = of_integer(value->time);

	image.words[2] = (uint32) value->zone;
	return image;
}

/* The bytes of a varlena, without the blanks that a char(n) is padded with. */
static DpImage
of_varlena(Datum value, bool is_padded)
{
	struct varlena *plain = PG_DETOAST_DATUM_PACKED(value);
	const char *bytes = VARDATA_ANY(plain);
	size_t length = VARSIZE_ANY_EXHDR(plain);
	DpImage image;

	if (is_padded)
		length =
			(size_t) bpchartruelen(unconstify(char *, bytes), (int) length);
	image = of_bytes(bytes, length);
	if ((Pointer) plain != DatumGetPointer(value))
		pfree(plain);
	return image;
}

/* Without zeros at its end, a number has one form. */
static DpImage
of_numeric(Datum value)
{
	Datum trimmed = DirectFunctionCall1(numeric_trim_scale, value);
	DpImage image = of_varlena(trimmed, false);

	pfree(DatumGetPointer(trimmed));
	return image;
}

DpImage
dp_image_of(Oid kind, Datum value)
{
	DpImage image;

	switch (kind)
	{
		case BOOLOID:
			return of_integer(DatumGetBool(value));
		case CHAROID:
			return of_integer(DatumGetChar(value));
		case INT2OID:
			return of_integer(DatumGetInt16(value));
		case INT4OID:
		case DATEOID:
			return of_integer(DatumGetInt32(value));
		case OIDOID:
		case ANYENUMOID:
			return of_integer(DatumGetObjectId(value));
		case INT8OID:
		case CASHOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return of_integer(DatumGetInt64(value));
		case TIMETZOID:
			return of_time_with_zone(DatumGetTimeTzADTP(value));
		case INTERVALOID:
			return of_interval(DatumGetIntervalP(value));
		case FLOAT4OID:
			return of_double(DatumGetFloat4(value));
		case FLOAT8OID:
			return of_double(DatumGetFloat8(value));
		case NUMERICOID:
			return of_numeric(value);
		case NAMEOID:
			return of_bytes(NameStr(*DatumGetName(value)),
							strlen(NameStr(*DatumGetName(value))));
		case MACADDROID:
			return of_bytes(DatumGetMacaddrP(value), sizeof(macaddr));
		case MACADDR8OID:
			return of_bytes(DatumGetMacaddr8P(value), sizeof(macaddr8));
		case UUIDOID:
			memcpy(&image, DatumGetUUIDP(value), sizeof(image));
			return image;
		case TEXTOID:
		case BYTEAOID:
		case BITOID:
		case VARBITOID:
		case INETOID:
			return of_varlena(value, false);
		case BPCHAROID:
			return of_varlena(value, true);
		default:
			elog(ERROR, "values of type %u have no images", kind);
	}
}
