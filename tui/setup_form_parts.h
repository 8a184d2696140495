/* SPDX-License-Identifier: MIT */
#ifndef TUI_SETUP_FORM_PARTS_H
#define TUI_SETUP_FORM_PARTS_H

#include "tui/setup_form.h"

/** What the three files of setup_form share; nobody else needs it. */

/** Show a text as taken. */
void setup_form_value(struct setup_form *s, enum setup_field f, const char *text);
void setup_form_number(struct setup_form *s, enum setup_field f, uint64_t v);
/** Show in the fields what was taken. */
void setup_form_show_workload(struct setup_form *s);
void setup_form_show_volume(struct setup_form *s);
/** Which fields mean something just now. */
void setup_form_refresh(struct setup_form *s);
/** The named workload that the fields make up: the one of SF_TEST if it may be; NULL: none. */
const struct workload *setup_form_named(const struct setup_form *s);
/** The choices of SF_TEST: named workloads, suites, and the workloads of `several`. */
void setup_form_list_tests(struct setup_form *s);
/** Work out what to expect. */
void setup_form_expect(struct setup_form *s);

#endif
