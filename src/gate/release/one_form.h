/*
 * one_form.h
 *		One form for all equal values of a key.
 *
 * Equal values may be written in several ways: 1.0 and 1.00, 0 and -0, 1 day
 * and 24 hours. Which of them a group shows must not depend on its rows.
 */
#ifndef DP_GATE_RELEASE_ONE_FORM_H
#define DP_GATE_RELEASE_ONE_FORM_H

#include "nodes/primnodes.h"

/* The form in which a value of a key, which is not NULL, is shown. */
extern Datum dp_one_form_of(Node *key, Datum value);

#endif
