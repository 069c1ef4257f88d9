/* Preloaded into a program, writes down in order what it does to the files under DISK_LOG_OF: writes, cuts, renames,
 * removals and syncs, each with its time. Read by tests/disk_log.py. For Linux. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct entry {
    double time;
    int64_t file, offset;
    uint32_t kind, path, other, data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;
static const char *root;

__attribute__((constructor)) static void begin(void) {
    root = getenv("DISK_LOG_OF");
    if (root && getenv("DISK_LOG"))
        log_file = syscall(SYS_openat, AT_FDCWD, getenv("DISK_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int is_inside(const char *path) {
    size_t length = root ? strlen(root) : 0;
    return log_file >= 0 && length && !strncmp(path, root, length) && path[length] == '/';
}

static void note(uint32_t kind, int64_t file, const char *path, const char *other, int64_t offset, const void *data,
                 size_t size) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct entry entry = {now.tv_sec + now.tv_nsec / 1e9, file, offset, kind, strlen(path), strlen(other), size};
    struct iovec parts[] = {
        {&entry, sizeof entry}, {(void *)path, entry.path}, {(void *)other, entry.other}, {(void *)data, size}};
    pthread_mutex_lock(&lock);
    if (syscall(SYS_writev, log_file, parts, 4) < 0)
        abort();
    pthread_mutex_unlock(&lock);
}

/* The path of an open file under the root, and its inode; 0 for others. */
static int64_t opened(int fd, char *path) {
    char link[64];
    struct stat about;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = log_file < 0 ? -1 : readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_inside(path) && !syscall(SYS_fstat, fd, &about) && S_ISREG(about.st_mode) ? (int64_t)about.st_ino : 0;
}

#define REAL(type, name) (*(type)(dlsym(RTLD_NEXT, name)))

static void note_write(int fd, const void *data, ssize_t written, off_t offset) {
    char path[PATH_MAX];
    int64_t file = written > 0 ? opened(fd, path) : 0;
    if (file)
        note('w', file, path, "", offset, data, written);
}

ssize_t write(int fd, const void *data, size_t size) {
    ssize_t written = REAL(ssize_t(*)(int, const void *, size_t), "write")(fd, data, size);
    if (log_file >= 0 && written > 0)
        note_write(fd, data, written, lseek(fd, 0, SEEK_CUR) - written);
    return written;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    ssize_t written = REAL(ssize_t(*)(int, const void *, size_t, off_t), "pwrite")(fd, data, size, offset);
    note_write(fd, data, written, offset);
    return written;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    ssize_t written = REAL(ssize_t(*)(int, const void *, size_t, off64_t), "pwrite64")(fd, data, size, offset);
    note_write(fd, data, written, offset);
    return written;
}

static int note_cut(int fd, off64_t size, int failed) {
    char path[PATH_MAX];
    int64_t file = failed ? 0 : opened(fd, path);
    if (file)
        note('t', file, path, "", size, "", 0);
    return failed;
}

int ftruncate(int fd, off_t size) { return note_cut(fd, size, REAL(int (*)(int, off_t), "ftruncate")(fd, size)); }

int ftruncate64(int fd, off64_t size) {
    return note_cut(fd, size, REAL(int (*)(int, off64_t), "ftruncate64")(fd, size));
}

static int note_sync(int fd, int failed) {
    char path[PATH_MAX];
    int64_t file = failed ? 0 : opened(fd, path);
    if (file)
        note('s', file, path, "", 0, "", 0);
    return failed;
}

int fsync(int fd) { return note_sync(fd, REAL(int (*)(int), "fsync")(fd)); }

int fdatasync(int fd) { return note_sync(fd, REAL(int (*)(int), "fdatasync")(fd)); }

static void note_name(uint32_t kind, const char *path, const char *other) {
    if (is_inside(path))
        note(kind, 0, path, other, 0, "", 0);
}

int rename(const char *from, const char *to) {
    int failed = REAL(int (*)(const char *, const char *), "rename")(from, to);
    if (!failed)
        note_name('r', from, to);
    return failed;
}

int renameat(int one, const char *from, int two, const char *to) {
    int failed = REAL(int (*)(int, const char *, int, const char *), "renameat")(one, from, two, to);
    if (!failed)
        note_name('r', from, to);
    return failed;
}

int unlink(const char *path) {
    int failed = REAL(int (*)(const char *), "unlink")(path);
    if (!failed)
        note_name('u', path, "");
    return failed;
}

int unlinkat(int folder, const char *path, int flags) {
    int failed = REAL(int (*)(int, const char *, int), "unlinkat")(folder, path, flags);
    if (!failed)
        note_name('u', path, "");
    return failed;
}
