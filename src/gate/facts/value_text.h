/*
 * value_text.h
 *		Values as parts of canonical forms.
 */
#ifndef DP_GATE_FACTS_VALUE_TEXT_H
#define DP_GATE_FACTS_VALUE_TEXT_H

#include "nodes/primnodes.h"

/*
 * A value as text, under dp_setting_plain_texts. Where it is compared, numbers of equal value
 * have one, whatever their type and however they are written, with all digits
 * that they have, and so have zeros of either sign and padded texts; elsewhere
 * the digits that a numeric shows, the spaces of a padded text and the sign of
 * a zero make a difference. Errors: program_limit_exceeded.
 */
extern char *dp_value_text_of(Oid type, Datum value, bool isnull,
							  bool is_compared);

/*
 * The same with what it is compared as: 1.0 and 1 are equal as numbers, not as
 * texts, and texts that end with spaces equal others only where they are
 * padded. Types of users go by name: their oids are new after a restore.
 */
extern char *dp_value_text_of_constant(const Const *constant, bool is_compared);

/*
 * What values are computed as and answers are read as: a type, and the same where
 * all integers are treated alike, and all texts. A conversion that changes no
 * value changes what is done with it: integers lie on a grid of their own, are
 * clamped to bounds that are rounded, and numbers of several types are written in
 * different ways. InvalidOid: of a user, with a new oid after a restore.
 */
extern Oid dp_value_text_type(Oid type);
extern Oid dp_value_text_kind(Oid type);

/*
 * A text with its length, so that its contents cannot be taken for structure.
 */
extern char *dp_value_text_delimited(char letter, const char *text);

#endif
