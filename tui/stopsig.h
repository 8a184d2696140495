/* SPDX-License-Identifier: MIT */
#ifndef EBSCOPE_TUI_STOPSIG_H
#define EBSCOPE_TUI_STOPSIG_H

#include <signal.h>

/*
 * The signals that ask the program to end: Ctrl-C, Ctrl-\, kill, and a terminal that is gone. Each ends a run cleanly
 * (what was measured is kept, the screen given back), and the exit status is 128 + its number. Under nohup SIGHUP asks
 * for nothing.
 */

/** Block them in this thread, and so in every one that it starts from here on. @param set  filled with them */
void stopsig_block(sigset_t *set);

/** stopsig_block(), and a signalfd to read them from. @return the caller's to close; -1: errno says why */
int stopsig_open(void);

/** Have @p handler called on each, where a system call is to be interrupted. */
void stopsig_catch(void (*handler)(int));

/** "SIGINT", as a recording names what ended it. */
const char *stopsig_name(int sig);

#endif
