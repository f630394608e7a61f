/*
 * plan_node.c
 *		Nodes of this extension's own that plans carry.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "server/plan_node.h"

static bool
are_equal(const ExtensibleNode *a, const ExtensibleNode *b)
{
	return a == b;
}

static void
write_nothing(StringInfo buffer, const ExtensibleNode *node)
{
	(void) buffer;
	(void) node;
}

static void
read_nothing(ExtensibleNode *node)
{
	elog(ERROR, "a %s cannot be read from text", node->extnodename);
}

void
dp_plan_node_register(const char *name, Size size,
					  void (*copy)(ExtensibleNode *to,
								   const ExtensibleNode *from))
{
	ExtensibleNodeMethods *methods =
		MemoryContextAlloc(TopMemoryContext, sizeof(ExtensibleNodeMethods));

	*methods = (ExtensibleNodeMethods){.extnodename = name,
									   .node_size = size,
									   .nodeCopy = copy,
									   .nodeEqual = are_equal,
									   .nodeOut = write_nothing,
									   .nodeRead = read_nothing};
	RegisterExtensibleNodeMethods(methods);
}

void *
dp_plan_node_make(const char *name, Size size)
{
	ExtensibleNode *node = (ExtensibleNode *) newNode(size, T_ExtensibleNode);

	node->extnodename = name;
	return node;
}
