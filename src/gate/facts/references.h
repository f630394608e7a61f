/*
 * references.h
 *		Which row of a relation a row is, or refers to.
 *
 * An order's number, in an order and in whatever refers to orders by it, says
 * which order is meant: so says a unique key of the relation itself, a foreign
 * key, or a path to a privacy unit, and one after the other. Within a population
 * what refers to an order is mostly of the order's own unit, but nothing makes it
 * so: a reference is no name of a unit (owner.h), and no rule rests on it. It only
 * tells that a join is meant to bring together what belongs together
 * (gate/read/joins.h).
 *
 * References to a unit itself are left out: whom a visit was referred by is
 * another person.
 */
#ifndef DP_GATE_FACTS_REFERENCES_H
#define DP_GATE_FACTS_REFERENCES_H

#include "gate/facts/equalities.h"
#include "gate/tree/node.h"

/*
 * Of a protected relation's rows: of DpUnitName, by the keys of relations of its
 * population; steps is 0 of what the row is itself. They do not depend on rows.
 */
extern List *dp_references_of_scan(const DpScan *scan);

/* Whether one of two rows that meet refers to what the other is or refers to. */
extern bool dp_references_meet(List *one, List *other,
							   const DpEqualities *equal);

/* Those of a node's inputs, in its row. */
extern List *dp_references_in_row(const DpNode *node);

#endif
