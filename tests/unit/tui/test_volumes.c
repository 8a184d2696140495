/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tui/app.h"

/* What the app asked the world to do. */
struct world {
	int		      asked, refreshed;
	struct volume_request req;
};

static int w_volumes(void *ctx, const struct volume_request *req, struct err *err)
{
	struct world *w = ctx;

	(void)err;
	w->asked++;
	w->req = *req;
	return 0;
}

static void w_refresh(void *ctx)
{
	((struct world *)ctx)->refreshed++;
}

static const struct app_ops ops = { .volumes = w_volumes, .volumes_refresh = w_refresh };

/* Two volumes on an instance: one attached and optimizing, one free. */
static struct facts *make_facts(void)
{
	struct facts *f = calloc(1, sizeof(*f));
	struct facts_volumes *v = calloc(1, sizeof(*v));

	assert_non_null(f);
	assert_non_null(v);
	*f = (struct facts){ .place = PLACE_EC2, .creds = CRED_ENV, .volumes = v, .region = "eu-west-1",
			     .self = { .instance_id = "i-1", .instance_type = "m5.large", .az = "eu-west-1a" } };
	atomic_init(&f->refs, 1);
	atomic_init(&v->refs, 1);
	v->volumes.v = calloc(2, sizeof(*v->volumes.v));
	v->volumes.n = 2;
	v->volumes.v[0] = (struct ec2_volume){ .id = "vol-00000001", .type = "gp3", .state = "in-use", .az = "eu-west-1a",
					       .size_gib = 100, .iops = 6000, .mibps = 250, .n_attachments = 1 };
	v->volumes.v[0].attachment = calloc(1, sizeof(struct ec2_attachment));
	strcpy(v->volumes.v[0].attachment[0].instance_id, "i-1");
	strcpy(v->volumes.v[0].attachment[0].device, "/dev/sdf");
	strcpy(v->volumes.v[0].attachment[0].state, "attached");
	v->volumes.v[1] = (struct ec2_volume){ .id = "vol-00000002", .type = "gp2", .state = "available", .az = "eu-west-1a",
					       .size_gib = 200, .iops = 600, .mibps = EC2_NONE };
	v->modifications.m = calloc(1, sizeof(*v->modifications.m));
	v->modifications.n = 1;
	v->modifications.m[0] = (struct ec2_modification){ .id = "vol-00000001", .state = "optimizing", .progress = 37,
							   .from = { "gp2", 100, 300, EC2_NONE },
							   .to = { "gp3", 100, 6000, 250 } };
	return f;
}

static struct app *open_screen(struct world *w, int width, int height)
{
	struct app *a = app_new(&ops, w, limits_builtin());

	assert_non_null(a);
	*w = (struct world){ 0 };
	app_resize(a, width, height);
	app_key(a, (struct key){ .code = '4' });
	assert_int_equal(a->screen, SCREEN_VOLUMES);
	volumes_screen_facts(&a->volumes, make_facts());
	return a;
}

static void type(struct app *a, const char *keys)
{
	for (; *keys; keys++)
		app_key(a, (struct key){ .code = (uint32_t)*keys == '\n' ? KEYCODE_ENTER : (uint32_t)*keys });
}

static char *picture(struct app *a)
{
	struct canvas cv = { 0 };
	struct err err;
	char *text = NULL;
	size_t size;

	assert_int_equal(canvas_init(&cv, a->w, a->h, &err), 0);
	app_draw(a, &cv);
	FILE *f = open_memstream(&text, &size);
	canvas_dump(&cv, f);
	fclose(f);
	canvas_release(&cv);
	return text;
}

static void shows(struct app *a, const char *text)
{
	char *p = picture(a);

	if (!strstr(p, text))
		print_error("\"%s\" is not in\n%s\n", text, p);
	assert_non_null(strstr(p, text));
	free(p);
}

static void the_list_shows_state_and_progress_of_a_change(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 110, 30);

	(void)state;
	shows(a, "vol-00000001");
	shows(a, "optimizing 37 %");
	shows(a, "/dev/sdf");
	shows(a, "between old and new");
	shows(a, "on EC2: m5.large in eu-west-1a");
	shows(a, "eu-west-1  2");
	app_key(a, (struct key){ .code = KEYCODE_DOWN });
	shows(a, "gp2 200 GiB, 600 IOPS");
	app_free(a);
}

static void a_short_list_stands_over_what_could_be_created_its_figures_under_their_names(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 120, 40);

	(void)state;
	app_tick(a, 1);
	shows(a, "What volumes give");
	shows(a, "volume                type       GiB    IOPS MiB/s  state");
	shows(a, "vol-00000002          gp2        200     600     -  available");
	app_free(a);
}

static void nothing_is_created_before_the_word_is_typed(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 110, 30);

	(void)state;
	type(a, "c");
	assert_true(a->volumes.form_open);
	app_key(a, (struct key){ .code = KEYCODE_BTAB });
	type(a, "\n");
	assert_true(a->asking);
	shows(a, "$8.00 a month");
	type(a, "\n");
	type(a, "y\n");
	assert_int_equal(w.asked, 0);
	app_key(a, (struct key){ .code = KEYCODE_CTRL('u') });
	type(a, "create\n");
	assert_int_equal(w.asked, 1);
	assert_int_equal(w.req.action, VOLUME_CREATE);
	assert_int_equal(w.req.want.n, 1);
	assert_int_equal(w.req.want.v[0].size_gib, 100);
	assert_true(w.req.attach);
	app_free(a);
}

static void an_impossible_figure_is_refused_as_it_is_typed(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 110, 30);

	(void)state;
	type(a, "c");
	app_key(a, (struct key){ .code = KEYCODE_TAB });
	app_key(a, (struct key){ .code = KEYCODE_TAB });
	type(a, "100");
	assert_string_not_equal(a->volumes.form.field[VOF_IOPS].error, "");
	app_key(a, (struct key){ .code = KEYCODE_TAB });
	for (int i = 0; i < 3; i++)
		app_key(a, (struct key){ .code = KEYCODE_TAB });
	type(a, "\n");
	assert_false(a->asking);
	assert_int_equal(w.asked, 0);
	app_free(a);
}

static void a_size_stays_as_it_is_typed(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 110, 30);

	(void)state;
	type(a, "c");
	app_key(a, (struct key){ .code = KEYCODE_TAB });
	type(a, "00100");
	assert_string_equal(a->volumes.form.field[VOF_SIZE].value, "00100");
	assert_int_equal(a->volumes.draft.size_gib, 100);
	app_free(a);
}

static void several_volumes_are_joined_at_the_level_that_was_chosen(void **state)
{
	static const struct { const char *level; const char *line; } levels[] = {
		{ "0", "--level=0 --raid-devices=4" }, { "1", "--level=1 --raid-devices=4" }, { "5", "--level=5 --raid-devices=4" },
		{ "6", "--level=6 --raid-devices=4" }, { "10", "--level=10 --raid-devices=4" },
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct app *a = open_screen(&w, 130, 40);
		struct form *f = &a->volumes.form;
		struct err err;
		type(a, "c");
		assert_true(f->field[VOF_RAID].off); /* one volume is no set */
		assert_int_equal(form_set(f, VOF_COUNT, "3", &err), 0);
		assert_false(f->field[VOF_RAID].off);
		assert_int_equal(form_set(f, VOF_RAID, "6", &err), -1);
		assert_non_null(strstr(err.msg, "needs 4 volumes"));
		assert_int_equal(form_set(f, VOF_COUNT, "4", &err), 0);
		assert_int_equal(form_set(f, VOF_RAID, levels[i].level, &err), 0);
		form_focus(f, VOF_RAID);
		shows(a, "6 wants 4");
		form_focus(f, VOF_GO);
		type(a, "\ncreate\n");
		assert_int_equal(w.asked, 1);
		assert_int_equal(w.req.want.n, 4);
		struct volume_job_view done = { .action = VOLUME_CREATE, .n = 4 };
		for (int k = 0; k < 4; k++) {
			snprintf(done.volume[k].id, EC2_ID, "vol-0000001%d", k);
			snprintf(done.volume[k].path, sizeof(done.volume[k].path), "/dev/nvme%dn1", k + 1);
		}
		volumes_screen_job(&a->volumes, &done);
		shows(a, levels[i].line);
		shows(a, "mdadm --stop /dev/md0");
		app_free(a);
	}
}

static void deleting_needs_the_volumes_id(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 110, 30);

	(void)state;
	type(a, "D");
	assert_false(a->asking); /* attached: said, not asked */
	shows(a, "detach it first");
	app_key(a, (struct key){ .code = KEYCODE_DOWN });
	type(a, "D");
	assert_true(a->asking);
	type(a, "y\n");
	assert_int_equal(w.asked, 0);
	app_key(a, (struct key){ .code = KEYCODE_CTRL('u') });
	type(a, "vol-00000002\n");
	assert_int_equal(w.asked, 1);
	assert_int_equal(w.req.action, VOLUME_DELETE);
	assert_string_equal(w.req.id[0], "vol-00000002");
	app_free(a);
}

static void a_change_names_both_prices(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 110, 30);

	(void)state;
	app_key(a, (struct key){ .code = KEYCODE_DOWN });
	type(a, "e");
	app_key(a, (struct key){ .code = KEYCODE_TAB });
	type(a, "400");
	app_key(a, (struct key){ .code = KEYCODE_BTAB });
	app_key(a, (struct key){ .code = KEYCODE_BTAB });
	type(a, "\n");
	assert_true(a->asking);
	assert_non_null(strstr(a->dialog.text, "$40.00 a month instead of $20.00"));
	type(a, "vol-00000002\n");
	assert_int_equal(w.req.action, VOLUME_MODIFY);
	assert_int_equal(w.req.want.v[0].size_gib, 400);
	app_free(a);
}

static void a_type_that_is_not_known_has_no_price(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 110, 30);

	(void)state;
	strcpy(a->volumes.facts->volumes->volumes.v[1].type, "gp9");
	app_key(a, (struct key){ .code = KEYCODE_DOWN });
	shows(a, "costs       not known");
	app_free(a);
}

static void the_errand_goes_from_created_to_deleted(void **state)
{
	struct volume_job_view j = { .action = VOLUME_CREATE, .running = true };
	struct world w;
	struct app *a = open_screen(&w, 120, 34);

	(void)state;
	volumes_screen_job(&a->volumes, &j);
	type(a, "a");
	shows(a, "one at a time");
	j.n = 1;
	strcpy(j.volume[0].id, "vol-00000001");
	strcpy(j.volume[0].device, "/dev/sdf");
	strcpy(j.volume[0].path, "/dev/nvme1n1");
	j.running = false;
	volumes_screen_job(&a->volumes, &j);
	shows(a, "mkfs.xfs /dev/nvme1n1p1");
	shows(a, "umount");
	type(a, "\n");
	assert_int_equal(a->screen, SCREEN_SETUP);
	assert_string_equal(a->setup.path, "/dev/nvme1n1");
	app_key(a, (struct key){ .code = KEYCODE_F(4) });
	type(a, "dy");
	assert_int_equal(w.req.action, VOLUME_DETACH);
	j.action = VOLUME_DETACH;
	j.running = true;
	volumes_screen_job(&a->volumes, &j);
	j.running = false;
	volumes_screen_job(&a->volumes, &j);
	assert_true(a->volumes.made_detached);
	j.action = VOLUME_DELETE;
	j.running = true;
	volumes_screen_job(&a->volumes, &j);
	j.running = false;
	volumes_screen_job(&a->volumes, &j);
	assert_int_equal(a->volumes.n_made, 0);
	app_free(a);
}

static void every_size_can_be_drawn(void **state)
{
	struct world w;
	struct app *a = open_screen(&w, 80, 24);

	(void)state;
	for (int form = 0; form < 2; form++) {
		for (int width = 1; width < 200; width += width < 12 ? 1 : 23)
			for (int height = 1; height < 60; height += height < 12 ? 1 : 13) {
				app_resize(a, width, height);
				free(picture(a));
			}
		type(a, "c");
	}
	app_free(a);
}

static void without_credentials_it_says_why(void **state)
{
	struct facts *f = calloc(1, sizeof(*f));
	struct world w;
	struct app *a = open_screen(&w, 100, 24);

	(void)state;
	assert_non_null(f);
	atomic_init(&f->refs, 1);
	f->place = PLACE_NONE;
	strcpy(f->creds_note, "no AWS credentials: none here");
	volumes_screen_facts(&a->volumes, f);
	shows(a, "no AWS credentials: none here");
	app_resize(a, 120, 40); /* and where there is room, what one could buy */
	shows(a, "gp3:500:3000:125");
	type(a, "c");
	assert_false(a->volumes.form_open);
	type(a, "u");
	assert_int_equal(w.refreshed, 1);
	app_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_shows_state_and_progress_of_a_change),
		cmocka_unit_test(a_short_list_stands_over_what_could_be_created_its_figures_under_their_names),
		cmocka_unit_test(nothing_is_created_before_the_word_is_typed),
		cmocka_unit_test(an_impossible_figure_is_refused_as_it_is_typed),
		cmocka_unit_test(a_size_stays_as_it_is_typed),
		cmocka_unit_test(several_volumes_are_joined_at_the_level_that_was_chosen),
		cmocka_unit_test(deleting_needs_the_volumes_id),
		cmocka_unit_test(a_change_names_both_prices),
		cmocka_unit_test(a_type_that_is_not_known_has_no_price),
		cmocka_unit_test(the_errand_goes_from_created_to_deleted),
		cmocka_unit_test(every_size_can_be_drawn),
		cmocka_unit_test(without_credentials_it_says_why),
	};

	return cmocka_run_group_tests_name("volumes", tests, NULL, NULL);
}
