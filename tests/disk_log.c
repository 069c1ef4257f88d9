/* Preloaded into a program, writes down in DISK_LOG what it does to the files under DISK_LOG_OF, in order: writes, cuts,
 * renames, removals and syncs, each with its time. And counts in DISK_FULL the calls that need room there, of this
 * program and of all that it starts, and lets one of them fail as on a full disk. Used by tests/disk_log.py. For Linux.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* The file DISK_FULL: how many calls there were, which one fails, and which one it was. */
enum { STAYS, ONCE, SHORT };
struct control {
    int64_t calls, fails_at, kind;
    char failed[488];
};

static struct control *control;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;
static const char *root;

__attribute__((constructor)) static void begin(void) {
    root = getenv("DISK_LOG_OF");
    if (root && getenv("DISK_LOG"))
        log_file = syscall(SYS_openat, AT_FDCWD, getenv("DISK_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    int file = getenv("DISK_FULL") ? syscall(SYS_openat, AT_FDCWD, getenv("DISK_FULL"), O_RDWR | O_CLOEXEC, 0) : -1;
    void *found = file < 0 ? MAP_FAILED : mmap(0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    control = found == MAP_FAILED ? 0 : found;
    if (file >= 0)
        syscall(SYS_close, file);
}

static int is_inside(const char *path) {
    size_t length = root ? strlen(root) : 0;
    return length && !strncmp(path, root, length) && path[length] == '/';
}

/* Whether a call that needs room fails: from the one that was chosen on, or only that one. */
static int refuses(const char *call, const char *path) {
    if (!control || !is_inside(path))
        return 0;
    int64_t number = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
    int64_t at = __atomic_load_n(&control->fails_at, __ATOMIC_SEQ_CST);
    if (!at || number < at || (control->kind == ONCE && number > at))
        return 0;
    if (number == at)
        snprintf(control->failed, sizeof control->failed, "%s %s", call, path + strlen(root) + 1);
    errno = ENOSPC;
    return 1;
}

static void note(uint32_t kind, int64_t file, const char *path, const char *other, int64_t offset, const void *data,
                 size_t size) {
    if (log_file < 0)
        return;
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
    ssize_t length = root ? readlink(link, path, PATH_MAX - 1) : -1;
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_inside(path) && !syscall(SYS_fstat, fd, &about) && S_ISREG(about.st_mode) ? (int64_t)about.st_ino : 0;
}

#define REAL(type, name) (*(type)(dlsym(RTLD_NEXT, name)))

/* How much of a write is tried: all, nothing (-1), or half of the one that a disk takes in part. */
static ssize_t room_for(const char *call, int fd, size_t size) {
    char path[PATH_MAX];
    if (!control || !opened(fd, path) || !refuses(call, path))
        return size;
    int is_first = control->kind == SHORT && control->calls == control->fails_at;
    return is_first && size > 1 ? (ssize_t)size / 2 : -1;
}

static void note_write(int fd, const void *data, ssize_t written, off_t offset) {
    char path[PATH_MAX];
    int64_t file = log_file >= 0 && written > 0 ? opened(fd, path) : 0;
    if (file)
        note('w', file, path, "", offset, data, written);
}

ssize_t write(int fd, const void *data, size_t size) {
    ssize_t room = room_for("write", fd, size);
    if (room < 0)
        return -1;
    ssize_t written = REAL(ssize_t(*)(int, const void *, size_t), "write")(fd, data, room);
    if (log_file >= 0 && written > 0)
        note_write(fd, data, written, lseek(fd, 0, SEEK_CUR) - written);
    return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    return room_for("writev", fd, 1) < 0 ? -1 : REAL(ssize_t(*)(int, const struct iovec *, int), "writev")(fd, parts, count);
}

static ssize_t write_at(const char *call, int fd, const void *data, size_t size, off64_t offset) {
    ssize_t room = room_for(call, fd, size);
    if (room < 0)
        return -1;
    ssize_t written = REAL(ssize_t(*)(int, const void *, size_t, off64_t), "pwrite64")(fd, data, room, offset);
    note_write(fd, data, written, offset);
    return written;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return write_at("pwrite", fd, data, size, offset); }

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    return write_at("pwrite", fd, data, size, offset);
}

/* The whole path of a name within an open folder. */
static const char *whole(int folder, const char *name, char *path) {
    char link[64];
    if (folder == AT_FDCWD || name[0] == '/')
        return name;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0 || length + strlen(name) + 2 > PATH_MAX)
        return name;
    path[length] = '/';
    strcpy(path + length + 1, name);
    return path;
}

/* Opening needs room where it makes the file. */
static int cannot_make(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    return (flags & O_CREAT) && syscall(SYS_faccessat, folder, name, F_OK) && refuses("open", whole(folder, name, path));
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;                                            \
        va_end(more);                                                                                                  \
        return cannot_make(AT_FDCWD, path, flags) ? -1 : REAL(int (*)(const char *, int, ...), #name)(path, flags, mode); \
    }
#define OPEN_AT(name)                                                                                                  \
    int name(int folder, const char *path, int flags, ...) {                                                           \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;                                            \
        va_end(more);                                                                                                  \
        return cannot_make(folder, path, flags)                                                                        \
                   ? -1                                                                                                \
                   : REAL(int (*)(int, const char *, int, ...), #name)(folder, path, flags, mode);                     \
    }
#define FOPEN(name)                                                                                                    \
    FILE *name(const char *path, const char *how) {                                                                    \
        int flags = strchr(how, 'w') || strchr(how, 'a') ? O_CREAT : 0;                                                \
        return cannot_make(AT_FDCWD, path, flags) ? 0 : REAL(FILE * (*)(const char *, const char *), #name)(path, how); \
    }
OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)
FOPEN(fopen)
FOPEN(fopen64)

int mkdir(const char *path, mode_t mode) {
    struct stat about;
    int is_there = !syscall(SYS_newfstatat, AT_FDCWD, path, &about, 0);
    return !is_there && refuses("mkdir", path) ? -1 : REAL(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

static int note_cut(int fd, off64_t size, int failed) {
    char path[PATH_MAX];
    int64_t file = failed ? 0 : opened(fd, path);
    if (file)
        note('t', file, path, "", size, "", 0);
    return failed;
}

static int cannot_grow(int fd, off64_t size) {
    struct stat about;
    return !syscall(SYS_fstat, fd, &about) && size > about.st_size && room_for("ftruncate", fd, 1) < 0;
}

int ftruncate(int fd, off_t size) {
    return cannot_grow(fd, size) ? -1 : note_cut(fd, size, REAL(int (*)(int, off_t), "ftruncate")(fd, size));
}

int ftruncate64(int fd, off64_t size) {
    return cannot_grow(fd, size) ? -1 : note_cut(fd, size, REAL(int (*)(int, off64_t), "ftruncate64")(fd, size));
}

static int note_sync(int fd, int failed) {
    char path[PATH_MAX];
    int64_t file = failed ? 0 : opened(fd, path);
    if (file)
        note('s', file, path, "", 0, "", 0);
    return failed;
}

int fsync(int fd) { return room_for("fsync", fd, 1) < 0 ? -1 : note_sync(fd, REAL(int (*)(int), "fsync")(fd)); }

int fdatasync(int fd) {
    return room_for("fdatasync", fd, 1) < 0 ? -1 : note_sync(fd, REAL(int (*)(int), "fdatasync")(fd));
}

static void note_name(uint32_t kind, const char *path, const char *other) {
    if (is_inside(path))
        note(kind, 0, path, other, 0, "", 0);
}

int rename(const char *from, const char *to) {
    int failed = refuses("rename", to) ? -1 : REAL(int (*)(const char *, const char *), "rename")(from, to);
    if (!failed)
        note_name('r', from, to);
    return failed;
}

int renameat(int one, const char *from, int two, const char *to) {
    char before[PATH_MAX], after[PATH_MAX];
    const char *was = whole(one, from, before), *is = whole(two, to, after);
    int failed =
        refuses("rename", is) ? -1 : REAL(int (*)(int, const char *, int, const char *), "renameat")(one, from, two, to);
    if (!failed)
        note_name('r', was, is);
    return failed;
}

int unlink(const char *path) {
    int failed = REAL(int (*)(const char *), "unlink")(path);
    if (!failed)
        note_name('u', path, "");
    return failed;
}

int unlinkat(int folder, const char *path, int flags) {
    char found[PATH_MAX];
    int failed = REAL(int (*)(int, const char *, int), "unlinkat")(folder, path, flags);
    if (!failed)
        note_name('u', whole(folder, path, found), "");
    return failed;
}
