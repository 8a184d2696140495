/* SPDX-License-Identifier: MIT */
#include "aws/creds_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aws/creds.h"
#include "engine/clock.h"

#define MAX_OUT	   ((size_t)64 << 10)
#define TIMEOUT_NS (30 * NS_PER_SEC)
#define STEP_MS	   50
#define REAP_MS	   2 /* it closes its stdout as it ends: it is all but gone */

extern char **environ;

/* Secrets that a child has no business to see. */
static const char *const secret_vars[] = {
	"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_SESSION_TOKEN=", "AWS_SECURITY_TOKEN=",
	"AWS_CONTAINER_AUTHORIZATION_TOKEN=",
};

static bool is_secret(const char *entry)
{
	for (size_t i = 0; i < sizeof(secret_vars) / sizeof(*secret_vars); i++)
		if (!strncmp(entry, secret_vars[i], strlen(secret_vars[i])))
			return true;
	return false;
}

bool creds_in_env(void)
{
	const char *secret = getenv("AWS_SECRET_ACCESS_KEY");

	return secret && *secret;
}

/* Pointers into our environment: only the list is new. */
static char **clean_env(void)
{
	size_t n = 0, k = 0;

	while (environ[n])
		n++;
	char **out = calloc(n + 1, sizeof(*out));
	for (size_t i = 0; out && i < n; i++)
		if (!is_secret(environ[i]))
			out[k++] = environ[i];
	return out;
}

static int spawn(char **argv, int out_fd, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out_fd, 1);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&at);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawnattr_setsigdefault(&at, &all);
	posix_spawnattr_setpgroup(&at, 0);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	char **envp = clean_env();
	int rc = envp ? posix_spawnp(pid, argv[0], &fa, &at, argv, envp) : ENOMEM;
	free(envp);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	return rc;
}

/* Whether it is to be ended. @return 0, or an errno value */
static int is_over(uint64_t end_ns, const atomic_bool *cancel)
{
	if (cancel && atomic_load(cancel))
		return ECANCELED;
	return clock_ns() >= end_ns ? ETIMEDOUT : 0;
}

/* Until the other end closes. @return 0, or an errno value */
static int read_all(int fd, uint64_t end_ns, const atomic_bool *cancel, char *buf, size_t *len)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int over = is_over(end_ns, cancel);
		if (over)
			return over;
		if (poll(&p, 1, STEP_MS) <= 0)
			continue;
		ssize_t n = read(fd, buf + *len, MAX_OUT - *len);
		if (n <= 0)
			return n ? errno : 0;
		*len += (size_t)n;
		if (*len == MAX_OUT)
			return EMSGSIZE;
	}
}

/* Its end; one that goes on without its stdout is not waited for any longer than one that goes on with it. */
static int reap(pid_t pid, int rc, uint64_t end_ns, const atomic_bool *cancel, int *status)
{
	for (;;) {
		if (rc)
			kill(-pid, SIGKILL);
		pid_t got = waitpid(pid, status, rc ? 0 : WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			return rc;
		if (!rc && !(rc = is_over(end_ns, cancel)))
			http_wait(REAP_MS, NULL);
	}
}

static int run(char **argv, const atomic_bool *cancel, char *buf, size_t *len, struct err *err)
{
	uint64_t end_ns = clock_ns() + TIMEOUT_NS;
	int fd[2], status = 0;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return err_sys(err, "credential_process: pipe");
	int rc = spawn(argv, fd[1], &pid);
	close(fd[1]);
	if (rc) {
		close(fd[0]);
		return err_set(err, rc, "credential_process: %s: %s", argv[0], strerror(rc));
	}
	rc = read_all(fd[0], end_ns, cancel, buf, len);
	close(fd[0]);
	rc = reap(pid, rc, end_ns, cancel, &status);
	if (rc == ETIMEDOUT)
		return err_set(err, rc, "credential_process: %s: no end within 30 s", argv[0]);
	if (rc)
		return err_set(err, rc, "credential_process: %s: %s", argv[0], strerror(rc));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(err, EIO, "credential_process: %s failed (%s %d)", argv[0],
			       WIFEXITED(status) ? "exit status" : "signal",
			       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return 0;
}

int creds_process_run(const char *command, const atomic_bool *cancel, char **out, size_t *len, struct err *err)
{
	char **argv;

	*out = NULL;
	*len = 0;
	if (creds_split_command(command, &argv, err) < 0)
		return -1;
	char *buf = calloc(1, MAX_OUT + 1);
	int rc = buf ? run(argv, cancel, buf, len, err) : err_set(err, ENOMEM, "credential_process: no memory");
	free(argv);
	if (rc && buf) {
		explicit_bzero(buf, MAX_OUT);
		free(buf);
	} else {
		*out = buf;
	}
	return rc;
}

/* POSIX words: blanks part them; '…' literal, "…" with \" and \\, \x outside. All in one block: the list, the text. */
int creds_split_command(const char *line, char ***words, struct err *err)
{
	size_t len = strlen(line), slots = len / 2 + 2;
	char **list = calloc(1, slots * sizeof(*list) + len + 1);
	int n = 0;

	if (!list)
		return err_set(err, ENOMEM, "credential_process: no memory");
	char *p = (char *)(list + slots);
	for (;;) {
		char quote = 0;
		line += strspn(line, " \t");
		if (!*line)
			break;
		list[n++] = p;
		for (; *line && (quote || (*line != ' ' && *line != '\t')); line++) {
			if (!quote && (*line == '\'' || *line == '"'))
				quote = *line;
			else if (quote && *line == quote)
				quote = 0;
			else if (*line == '\\' && line[1] && quote != '\'' &&
				 (!quote || line[1] == '"' || line[1] == '\\'))
				*p++ = *++line;
			else
				*p++ = *line;
		}
		*p++ = 0;
		if (quote) {
			free(list);
			return err_set(err, ERR_USAGE, "credential_process: quote without its end");
		}
	}
	if (!n || !*list[0]) {
		free(list);
		return err_set(err, ERR_USAGE, "credential_process: empty command");
	}
	*words = list;
	return n;
}
