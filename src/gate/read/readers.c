/*
 * readers.c
 *		The readers that call each other in turn.
 */
#include "postgres.h"

#include "gate/read/expression.h"
#include "gate/read/entries.h"
#include "gate/read/readers.h"
#include "gate/read/sublinks.h"
#include "gate/read/views.h"

const DpReaders dp_readers = {.part = dp_expression_read_part,
							  .sublink = dp_sublinks_read,
							  .entry = dp_entries_read,
							  .view = dp_views_read};
