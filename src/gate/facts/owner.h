/*
 * owner.h
 *		Whose a node's rows are.
 *
 * Rows are public, or each is owned by one privacy unit, which some of its
 * columns name. There are two sorts of names:
 *
 * - the value of the unit itself, as the population has it; where the unit is
 *   the row, what identifies that;
 * - a unique key of a protected relation: two rows with the same values of it
 *   come from one row of that relation, and so belong to one unit. An order's
 *   number names a customer, also in lines that only refer to an order along a
 *   path.
 *
 * Everything that makes rows of a unit from rows of that unit and from public
 * ones is allowed; it does not matter how many rows result, since contributions
 * are bounded at the end. Two databases are neighbours if one lacks all rows of
 * one unit: by each of the rules below, only rows that the unit owns differ then.
 *
 * Rows whose unit is null, and rows that refer along a path to nothing, belong
 * to nobody. They are rows of one further unit that is never counted: reading
 * a question joins the rest of the path at the end, which leaves them out.
 *
 * What is null names nobody: a row with a null unit, or a null reference. But
 * rows in which a unique key of their own is null may be of several units: such
 * names serve where columns are equated, and nowhere else.
 *
 * The rules, by kind of node:
 *
 *   scan       owned by its unit; named by the unit's column, or along a path by
 *              the columns that refer to keys, and by the relation's unique keys
 *   public     public
 *   join       public if all inputs are; else what is owned must have one unit by
 *              the equalities that hold in its rows: names of the same sort whose
 *              columns are equal. All names of the inputs hold
 *   left join  the left side's; an owned right side must have the same unit by
 *              the join's conditions and what holds on the left. Public rows
 *              LEFT JOIN owned ones: those that match, as of a join. A public row
 *              without a match depends on people and is nobody's, so it is none of
 *              the result's; facts of left joins hold in a part of their rows, too.
 *              Reading allows it where nobody can tell (gate/read/matched.h)
 *   group      the keys must include all columns of a name, and of a name by the
 *              unit's value where there is one; names whose columns are keys stay
 *   window     the same of each partition; all names stay
 *   union      a name of all inputs, in the same columns
 *   view       its input's
 *   project    names whose columns it keeps
 *
 * Columns are equal in a row by what its conditions say and copies are, which
 * is seen in the row itself. Only names by keys trust something else: that an index is
 * unique. So values decide where there are any: a group's keys include the
 * value, whatever a key determines; and rows that only a key brings together
 * must not have two values that are not compared, seen any longer or not, where
 * relations of several owners meet or units are rows. An owner who defeats a unique
 * index of their own table breaks the promise only to the people in it.
 *
 * A sub-query in an expression must be public, or its rows must belong to the
 * unit of the row that it is computed for. Either its own conditions say so:
 * then its rows are named by columns of the row around, and so are a group's of
 * all of them. Or it is compared by IN: rows of other units may be met, but all
 * columns of a name are compared, and never equal. In neither side may they be
 * null then, for a comparison with null is not false. On the row's own side that
 * is nobody's row; in the sub-query such rows are left out. Its
 * expressions, like all others, cannot fail.
 *
 * People of several populations meet by the analyst's equality of their units.
 * Then each promise is about its own population's rows: those of others stay.
 * Inner joins only lose rows. But a left join, groups, windows, UNION ALL and
 * sub-queries may put another row in the place of one that is gone.
 */
#ifndef DP_GATE_FACTS_OWNER_H
#define DP_GATE_FACTS_OWNER_H

#include "gate/facts/equalities.h"
#include "gate/facts/owned.h"
#include "gate/facts/unit_names.h"
#include "gate/tree/node.h"

/* The owner of a node's rows. equal: what holds in the row its expressions see. */
extern DpOwner dp_owner_of_node(const DpNode *node, const DpEqualities *equal);

/* Whether some expressions over a row have one value only where its unit is one. */
extern bool dp_owner_is_determined(const DpOwner *owner,
								   const DpEqualities *equal, List *exprs);

/*
 * Whether a left join has those of its rows alone that match: of public rows with
 * owned ones.
 */
extern bool dp_owner_is_matched(const DpNode *left_join);

/*
 * The name by a unit's value, whose columns must be among the keys of groups, and
 * in partitions of windows, besides those that determine the unit; NULL: there is
 * none yet, a path must be followed.
 */
extern const DpUnitName *dp_owner_value_name(const DpOwner *owner);

#endif
