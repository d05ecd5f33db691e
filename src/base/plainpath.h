/* File names without detours: "/usr/bin/../lib/a.h" is "/usr/lib/a.h". */
#ifndef HD_BASE_PLAINPATH_H
#define HD_BASE_PLAINPATH_H

/* Takes "." and "x/.." out of an absolute name, in place. A relative one stays as it is: it is how
 * the user spells it. The name alone decides; the file system is not asked, so a folder that is a
 * symbolic link is taken for a plain one. */
void hd_plainpath(char *path);

#endif
