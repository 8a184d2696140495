/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libFuzzer where there is none: runs a fuzz target over every file of a corpus, and over each file cut
 * short at up to CUTS places, since what comes from outside is cut more often than it is crafted.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUTS 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly the size, so that a sanitizer sees a read behind the end. */
static void feed(const char *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		return;
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	long len = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	char *data = len >= 0 ? malloc((size_t)len + 1) : NULL;
	size_t n = data ? (rewind(f), fread(data, 1, (size_t)len, f)) : 0;

	for (size_t cut = 0; data && cut < n; cut += n / CUTS + 1)
		feed(data, cut);
	if (data)
		feed(data, n);
	free(data);
	if (f)
		fclose(f);
	return data && n == (size_t)len ? 0 : -1;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	int files = 0, bad = 0;

	if (!dir) {
		fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
		return 2;
	}
	puts("1..1");
	fflush(stdout);
	for (struct dirent *e; (e = readdir(dir));) {
		char path[4096];
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
		fprintf(stderr, "%s\n", path); /* the last one named is the one that crashed */
		bad += replay(path) < 0;
		files++;
	}
	closedir(dir);
	printf("%sok 1 - %d inputs, whole and cut, do no harm\n", bad || !files ? "not " : "", files);
	return bad || !files;
}
