#include "cli/wait_reason.h"

#include <string.h>

struct rule {
	const char *function; /* its beginning, when it ends with '*' */
	const char *reason;
};

/* The first rule that fits any frame: a page fault waits for the disk, too,
 * and fsync() for a lock of its file system. */
static const struct rule kernel_rules[] = {
	{ "exc_page_fault", "fault" },
	{ "do_page_fault", "fault" },
	{ "handle_mm_fault", "fault" },
	{ "do_futex", "lock" },
	{ "futex_wait*", "lock" },
	{ "do_nanosleep", "sleep" },
	{ "hrtimer_nanosleep", "sleep" }, /* /proc leaves the leaf out */
	{ "do_wait", "child" },
	{ "do_wait4", "child" },
	{ "kernel_wait4", "child" },
	{ "ep_poll", "poll" },
	{ "do_epoll_wait", "poll" },
	{ "do_poll*", "poll" },
	{ "do_sys_poll", "poll" },
	{ "do_select", "poll" },
	{ "core_sys_select", "poll" },
	{ "io_schedule*", "io" },
	{ "blkdev_*", "io" },
	{ "submit_bio_wait", "io" },
	{ "folio_wait_*", "io" },
	{ "__wait_on_buffer", "io" },
	{ "jbd2_log_wait_commit", "io" },
	{ "io_cqring_wait", "io" },
	{ "read_events", "io" }, /* aio */
	{ "vfs_fsync_range", "io" },
	{ "do_fsync", "io" },
	{ "ksys_sync", "io" },
	{ "fuse_*", "io" },
	{ "nfs_*", "io" },
	{ "pipe_read", "pipe" },
	{ "anon_pipe_read", "pipe" },
	{ "pipe_write", "pipe" },
	{ "anon_pipe_write", "pipe" },
	{ "wait_for_partner", "pipe" },
	{ "fifo_open", "pipe" },
	{ "sock_*", "socket" },
	{ "__sock_*", "socket" },
	{ "__sys_recv*", "socket" },
	{ "__sys_send*", "socket" },
	{ "__sys_accept4", "socket" },
	{ "__sys_connect", "socket" },
	{ "inet_*", "socket" },
	{ "unix_*", "socket" },
	{ "__mutex_lock*", "lock" }, /* of the kernel */
	{ "rwsem_down_*", "lock" },
	{ "__down*", "lock" },
	{ "do_semtimedop", "lock" },
	{ "fcntl_setlk", "lock" },
	{ "flock_lock_inode_wait", "lock" },
};

/* A futex is whatever the user's function makes of it. */
static const struct rule user_rules[] = {
	{ "pthread_mutex_*", "mutex" },
	{ "__pthread_mutex_*", "mutex" },
	{ "___pthread_mutex_*", "mutex" },
	{ "__GI___pthread_mutex_*", "mutex" },
	{ "__lll_lock_wait*", "mutex" },
	{ "pthread_cond_*", "condition" },
	{ "__pthread_cond_*", "condition" },
	{ "___pthread_cond_*", "condition" },
	{ "sem_*", "semaphore" },
	{ "__new_sem_*", "semaphore" },
	{ "__sem_*", "semaphore" },
	{ "do_futex_wait*", "semaphore" }, /* glibc's nptl/sem_waitcommon.c */
};

static bool fits(const struct rule *rule, const char *name)
{
	size_t length = strlen(rule->function);

	if (rule->function[length - 1] == '*')
		return strncmp(name, rule->function, length - 1) == 0;
	return strcmp(name, rule->function) == 0;
}

/* The first of the rules, from *best on downwards, that a frame fits. */
static void look(const struct profile *profile,
		 const struct profile_frame *frame, const struct rule *rules,
		 size_t *best)
{
	for (uint32_t i = 0; i < frame->n_lines; i++) {
		const char *name =
			profile->functions[profile->lines[frame->first_line + i]
						   .function]
				.name;

		for (size_t rule = 0; rule < *best; rule++)
			if (fits(&rules[rule], name))
				*best = rule;
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *wait_reason(const struct profile *profile, uint32_t stack)
{
	size_t kernel = COUNT(kernel_rules), user = COUNT(user_rules);

	for (uint32_t at = stack; at; at = profile->nodes[at].parent) {
		const struct profile_frame *frame =
			&profile->frames[profile->nodes[at].frame];

		if (frame->flags & PROFILE_FRAME_KERNEL)
			look(profile, frame, kernel_rules, &kernel);
		else
			look(profile, frame, user_rules, &user);
	}
	if (kernel == COUNT(kernel_rules))
		return "other";
	if (user < COUNT(user_rules) &&
	    strcmp(kernel_rules[kernel].reason, "lock") == 0)
		return user_rules[user].reason;
	return kernel_rules[kernel].reason;
}
