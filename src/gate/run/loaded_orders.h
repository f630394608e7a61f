/*
 * loaded_orders.h
 *		What the server keeps of the catalogs after an inner statement.
 */
#ifndef DP_GATE_RUN_LOADED_ORDERS_H
#define DP_GATE_RUN_LOADED_ORDERS_H

#include "nodes/parsenodes.h"

/*
 * Loads what the catalogs say of comparing and hashing the types in a statement.
 * Whether the server looks for it depends on statistics (a histogram of a column
 * is read with its operators) and on the plan (sorted or hashed), and so on
 * protected rows. What it has read once it keeps, and any later statement of the
 * session that needs it shows in EXPLAIN (BUFFERS) whether it was there.
 */
extern void dp_loaded_orders_load(Query *query);

#endif
