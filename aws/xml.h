/* SPDX-License-Identifier: MIT */
#ifndef AWS_XML_H
#define AWS_XML_H

#include <stddef.h>

#include "engine/err.h"

/**
 * An answer in XML as a tree, by expat. Made for answers of AWS: elements and their text, no attributes, names without
 * namespaces. A document type is refused, so there are no entities of its own, inside or out. Depth and number of
 * elements are bounded.
 */
struct xml_node {
	const char	*name;
	const char	*text; /**< of a leaf; "" of anything else */
	struct xml_node *child, *next;
};

struct xml_block;
struct xml {
	struct xml_node	 *root;
	struct xml_block *blocks; /**< owns all of it */
};

/** @return 0, or -1 with EBADMSG and what is wrong where, or ENOMEM */
int xml_parse(const char *text, size_t len, struct xml *doc, struct err *err);
void xml_release(struct xml *doc);

/** The first child of that name, or NULL; of NULL, NULL. */
const struct xml_node *xml_child(const struct xml_node *node, const char *name);
/** Follow "a/b/c". */
const struct xml_node *xml_path(const struct xml_node *node, const char *path);
/** The text at "a/b/c", or NULL where there is none. */
const char *xml_text(const struct xml_node *node, const char *path);

#endif
