/* SPDX-License-Identifier: MIT */
#ifndef TUI_NET_FORM_H
#define TUI_NET_FORM_H

#include "aws/netrun.h"
#include "tui/form.h"

/**
 * A network test as a form that refuses what the protocol and AWS's catalogue refuse, and what to expect of
 * it. No I/O: names are resolved when the test starts.
 */

/** Fields, in the order of Tab. */
enum net_field {
	NF_PEER,
	NF_PRESET,
	NF_DIRECTION,
	NF_STREAMS,
	NF_TIME,
	NF_OMIT,
	NF_SCALE,
	NF_HOST,
	NF_START,
	NF_NR
};

struct net_form {
	struct form form;
	const struct limits *limits; /**< borrowed for ever */
	struct net_setup setup;      /**< each field's last value that was taken */
	bool has_peer;
	struct host found; /**< where we run, as it says of itself; HOST_NONE not known */
	struct net_expect expect;
};

/** Nobody named: one stream for ten seconds, the client sends. */
void net_form_init(struct net_form *s, const struct limits *limits);
/** Set a field from text. @return 0, or -1 with what is allowed */
int net_form_set(struct net_form *s, enum net_field f, const char *text, struct err *err);
/** Take what a command line said; fields that the form has not (a bit rate, a window) stay in the setup. */
void net_form_take(struct net_form *s, const struct net_setup *setup);
/** Where we run was found out: it is filled in where nothing is named, and again once a simulated network is gone. */
void net_form_host(struct net_form *s, const struct host *h);

enum net_answer { NET_PASS, NET_DONE, NET_START };
enum net_answer net_form_key(struct net_form *s, struct key k, enum action act);

#endif
