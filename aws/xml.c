/* SPDX-License-Identifier: MIT */
#include "aws/xml.h"

#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32
#define MAX_NODES 500000
#define BLOCK	  65536

struct xml_block {
	struct xml_block *next;
	size_t		  used, size;
	_Alignas(16) char data[];
};

struct state {
	XML_Parser	 parser;
	struct xml	*doc;
	struct xml_node *open[MAX_DEPTH];
	struct xml_node *last[MAX_DEPTH]; /* last child of open[i] */
	unsigned	 depth, nodes;
	char		*text; /* of the innermost element so far */
	size_t		 len, cap;
	const char	*bad;
};

/* An answer may hold credentials. */
static void free_wiped(void *p, size_t size)
{
	if (p)
		explicit_bzero(p, size);
	free(p);
}

static void stop(struct state *s, const char *why)
{
	if (!s->bad)
		s->bad = why;
	XML_StopParser(s->parser, XML_FALSE);
}

static void *take(struct state *s, size_t n)
{
	struct xml_block *b = s->doc->blocks;

	n = (n + 15) & ~(size_t)15;
	if (!b || b->size - b->used < n) {
		size_t size = n > BLOCK ? n : BLOCK;
		b = malloc(sizeof(*b) + size);
		if (!b)
			return NULL;
		*b = (struct xml_block){ .next = s->doc->blocks, .size = size };
		s->doc->blocks = b;
	}
	void *p = b->data + b->used;
	b->used += n;
	return p;
}

static const char *take_text(struct state *s, const char *text, size_t len)
{
	char *p = take(s, len + 1);

	if (p) {
		memcpy(p, text, len);
		p[len] = 0;
	}
	return p;
}

static void on_start(void *arg, const char *name, const char **attr)
{
	struct state *s = arg;

	(void)attr;
	if (s->bad)
		return;
	if (s->depth == MAX_DEPTH || ++s->nodes > MAX_NODES) {
		stop(s, "too deep or too many elements");
		return;
	}
	const char *colon = strrchr(name, ':');
	struct xml_node *node = take(s, sizeof(*node));
	if (colon)
		name = colon + 1;
	if (!node || !(name = take_text(s, name, strlen(name)))) {
		stop(s, "no memory");
		return;
	}
	*node = (struct xml_node){ .name = name, .text = "" };
	if (!s->depth) {
		s->doc->root = node;
	} else {
		struct xml_node **last = &s->last[s->depth - 1];
		if (*last)
			(*last)->next = node;
		else
			s->open[s->depth - 1]->child = node;
		*last = node;
	}
	s->open[s->depth] = node;
	s->last[s->depth++] = NULL;
	s->len = 0;
}

static void on_end(void *arg, const char *name)
{
	struct state *s = arg;

	(void)name;
	if (s->bad)
		return;
	struct xml_node *node = s->open[--s->depth];
	if (!node->child && s->len && !(node->text = take_text(s, s->text, s->len)))
		stop(s, "no memory");
	s->len = 0;
}

static void on_text(void *arg, const char *text, int n)
{
	struct state *s = arg;
	size_t need = s->len + (size_t)n;

	if (s->bad)
		return;
	if (need > s->cap) {
		size_t cap = need * 2 + 64;
		char *p = malloc(cap);
		if (!p) {
			stop(s, "no memory");
			return;
		}
		if (s->len)
			memcpy(p, s->text, s->len);
		free_wiped(s->text, s->cap);
		s->text = p;
		s->cap = cap;
	}
	memcpy(s->text + s->len, text, (size_t)n);
	s->len = need;
}

static void on_doctype(void *arg, const char *name, const char *sysid, const char *pubid, int internal)
{
	(void)name, (void)sysid, (void)pubid, (void)internal;
	stop(arg, "it has a document type");
}

int xml_parse(const char *text, size_t len, struct xml *doc, struct err *err)
{
	static struct xml_node empty = { .name = "", .text = "" };
	struct state s = { .doc = doc };
	int rc = 0;

	*doc = (struct xml){ 0 };
	if (len > INT_MAX || !(s.parser = XML_ParserCreate("UTF-8")))
		return err_set(err, ENOMEM, "no memory");
	XML_SetUserData(s.parser, &s);
	XML_SetElementHandler(s.parser, on_start, on_end);
	XML_SetCharacterDataHandler(s.parser, on_text);
	XML_SetStartDoctypeDeclHandler(s.parser, on_doctype);
	if (XML_Parse(s.parser, text, (int)len, 1) != XML_STATUS_OK || s.bad) {
		rc = err_set(err, EBADMSG, "malformed XML in line %lu: %s", XML_GetCurrentLineNumber(s.parser),
			     s.bad ? s.bad : XML_ErrorString(XML_GetErrorCode(s.parser)));
		xml_release(doc);
	} else if (!doc->root) {
		doc->root = &empty;
	}
	XML_ParserFree(s.parser);
	free_wiped(s.text, s.cap);
	return rc;
}

void xml_release(struct xml *doc)
{
	while (doc->blocks) {
		struct xml_block *b = doc->blocks;
		doc->blocks = b->next;
		free_wiped(b, sizeof(*b) + b->used);
	}
	doc->root = NULL;
}

static const struct xml_node *child_n(const struct xml_node *node, const char *name, size_t n)
{
	for (node = node ? node->child : NULL; node; node = node->next)
		if (!strncmp(node->name, name, n) && !node->name[n])
			return node;
	return NULL;
}

const struct xml_node *xml_child(const struct xml_node *node, const char *name)
{
	return child_n(node, name, strlen(name));
}

const struct xml_node *xml_path(const struct xml_node *node, const char *path)
{
	while (node && *path) {
		size_t n = strcspn(path, "/");
		node = child_n(node, path, n);
		path += n + (path[n] == '/');
	}
	return node;
}

const char *xml_text(const struct xml_node *node, const char *path)
{
	node = xml_path(node, path);
	return node && *node->text ? node->text : NULL;
}
