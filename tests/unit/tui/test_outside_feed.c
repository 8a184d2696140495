/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/near.h"
#include "tui/outside_feed.h"

/* An instance with a gp2 volume that bursts and a gp3 volume that does not; CloudWatch was asked. */
static struct ec2_attachment attached;
static struct ec2_volume volume[] = {
	{ .id = "vol-00000001", .type = "gp2", .size_gib = 100, .iops = 300, .attachment = &attached, .n_attachments = 1 },
	{ .id = "vol-00000002", .type = "gp3", .size_gib = 100, .iops = 3000, .attachment = &attached, .n_attachments = 1 },
};
static struct ec2_modification change = { .id = "vol-00000001", .state = "optimizing", .progress = 37,
					  .from = { "gp2", 100, 300, EC2_NONE }, .to = { "gp3", 100, 6000, 250 } };
static struct facts_volumes volumes = { .volumes = { volume, 2 } };

/* What a test plays with: nothing of the feed's was said yet. */
static struct outside_feed o;
static struct outside out[16];
static struct facts f;

static int begin(void **state)
{
	(void)state;
	o = (struct outside_feed){ .n_ids = 1, .began = 1000 };
	strcpy(o.id[0], "vol-00000001");
	f = (struct facts){ .serial = 1, .place = PLACE_EC2, .volumes = &volumes, .self = { .instance_id = "i-1" } };
	f.series = calloc(1, sizeof(*f.series) + 3 * sizeof(f.series->s[0]));
	assert_non_null(f.series);
	f.series->n = 3;
	f.series->s[0] = (struct cw_series){ .metric = CW_BURST_BALANCE, .id = "vol-00000001" };
	f.series->s[1] = (struct cw_series){ .metric = CW_EBS_IO_BALANCE, .id = "i-1" };
	f.series->s[2] = (struct cw_series){ .metric = CW_EBS_BYTE_BALANCE, .id = "i-1" };
	volumes.modifications = (struct ec2_modifications){ NULL, 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(f.series);
	return 0;
}

/* CloudWatch was not asked. */
static void unasked(void)
{
	free(f.series);
	f.series = NULL;
}

static size_t take(double now_s)
{
	return outside_feed_take(&o, &f, now_s, out, 16);
}

static void point(struct cw_series *s, int64_t t, double percent)
{
	s->point[s->n].t = t;
	s->point[s->n++].percent = percent;
}

static void each_point_comes_once_and_at_its_own_time(void **state)
{
	(void)state;
	point(&f.series->s[0], 880, 90);
	point(&f.series->s[0], 940, 85);
	size_t n = take(5);
	assert_int_equal(n, 4); /* two points, and two of the host that do not exist */
	assert_string_equal(out[0].name, "BurstBalance");
	assert_string_equal(out[0].id, "vol-00000001");
	assert_near(out[0].t_s, -120, 1e-9);
	assert_near(out[1].t_s, -60, 1e-9);
	assert_near(out[1].value, 85, 1e-9);
	assert_int_equal(take(6), 0);
	point(&f.series->s[0], 1060, 42);
	assert_int_equal(take(180), 1);
	assert_near(out[0].t_s, 60, 1e-9);
}

static void what_does_not_exist_is_said_once_and_is_no_zero(void **state)
{
	(void)state;
	strcpy(o.id[o.n_ids++], "vol-00000002");
	assert_int_equal(take(5), 4);
	assert_string_equal(out[0].text, "no figure yet");
	assert_string_equal(out[1].id, "vol-00000002");
	assert_string_equal(out[1].text, "does not burst");
	assert_string_equal(out[2].name, "EBSIOBalance%");
	for (int i = 0; i < 4; i++)
		assert_true(isnan(out[i].value));
	assert_int_equal(take(6), 0);
	point(&f.series->s[1], 1060, 99); /* late, but there */
	assert_int_equal(take(120), 1);
	assert_near(out[0].value, 99, 1e-9);
}

static void before_cloudwatch_was_asked_nothing_is_said_of_it(void **state)
{
	(void)state;
	unasked();
	assert_int_equal(take(5), 0);
}

static void a_modification_is_followed_until_it_is_completed(void **state)
{
	(void)state;
	unasked();
	volumes.modifications = (struct ec2_modifications){ &change, 1 };
	assert_int_equal(take(5), 1);
	assert_string_equal(out[0].name, "optimizing");
	assert_near(out[0].value, 37, 1e-9);
	assert_string_equal(out[0].text, "gp2:100 to gp3:100:6000:250");
	assert_int_equal(take(6), 0);
	volumes.modifications.n = 0; /* of all that are going on it is none any longer */
	assert_int_equal(take(7), 1);
	assert_near(out[0].value, 100, 1e-9);
	assert_string_equal(out[0].text, "completed");
	assert_int_equal(take(8), 0);
}

/* Another look: new lists, so that they are told from those before. */
static void look_again(struct facts_volumes *fresh, const char *type, uint64_t iops)
{
	static struct ec2_volume now[1];

	now[0] = volume[0];
	strcpy(now[0].type, type);
	now[0].iops = iops;
	now[0].mibps = strcmp(type, "gp3") ? EC2_NONE : 125;
	*fresh = (struct facts_volumes){ .volumes = { now, 1 } };
	f.volumes = fresh;
}

static void a_change_of_which_only_the_figures_were_seen_lies_between_two_looks(void **state)
{
	(void)state;
	struct facts_volumes second, third;

	unasked();
	assert_int_equal(take(5), 0);
	look_again(&second, "gp3", 3000);
	assert_int_equal(take(35), 3);
	assert_string_equal(out[2].text, "does not burst");
	assert_string_equal(out[0].name, "optimizing");
	assert_string_equal(out[0].text, "gp2:100 to gp3:100:3000:125");
	assert_near(out[0].t_s, 5, 1e-9);
	assert_true(out[0].value < 100);
	assert_near(out[1].t_s, 35, 1e-9);
	assert_near(out[1].value, 100, 1e-9);
	assert_string_equal(out[1].text, "completed");
	look_again(&third, "gp3", 3000);
	assert_int_equal(take(65), 0);
}

static void a_change_that_was_followed_is_no_second_one_by_its_figures(void **state)
{
	(void)state;
	struct facts_volumes second, third, fourth;

	unasked();
	assert_int_equal(take(5), 0);
	look_again(&second, "gp2", 300);
	second.modifications = (struct ec2_modifications){ &change, 1 };
	assert_int_equal(take(35), 1);
	assert_near(out[0].t_s, 5, 1e-9); /* from the look before on it may have been under way */
	look_again(&third, "gp2", 300); /* what AWS shows of it may be late */
	assert_int_equal(take(65), 1);
	assert_near(out[0].t_s, 65, 1e-9);
	look_again(&fourth, "gp3", 6000);
	fourth.volumes.v[0].mibps = 250;
	assert_int_equal(take(95), 1);
	assert_string_equal(out[0].text, "does not burst");
}

static void a_modification_that_cannot_be_asked_about_is_not_over(void **state)
{
	(void)state;
	struct facts_volumes second, third;

	unasked();
	volumes.modifications = (struct ec2_modifications){ &change, 1 };
	assert_int_equal(take(5), 1);
	look_again(&second, "gp2", 300);
	strcpy(f.volumes_note, "throttled");
	assert_int_equal(take(35), 0);
	*f.volumes_note = 0;
	look_again(&third, "gp2", 300);
	assert_int_equal(take(65), 1);
	assert_string_equal(out[0].text, "completed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_point_comes_once_and_at_its_own_time, begin, end),
		cmocka_unit_test_setup_teardown(what_does_not_exist_is_said_once_and_is_no_zero, begin, end),
		cmocka_unit_test_setup_teardown(before_cloudwatch_was_asked_nothing_is_said_of_it, begin, end),
		cmocka_unit_test_setup_teardown(a_modification_is_followed_until_it_is_completed, begin, end),
		cmocka_unit_test_setup_teardown(a_change_of_which_only_the_figures_were_seen_lies_between_two_looks, begin, end),
		cmocka_unit_test_setup_teardown(a_change_that_was_followed_is_no_second_one_by_its_figures, begin, end),
		cmocka_unit_test_setup_teardown(a_modification_that_cannot_be_asked_about_is_not_over, begin, end),
	};

	return cmocka_run_group_tests_name("outside_feed", tests, NULL, NULL);
}
