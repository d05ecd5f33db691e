/* The programs of `heddle tutorial`: files of examples/, put into the tool by the build
 * (scripts/embed.cmake); each ends with a NUL. */
#ifndef HD_CLI_TUTORIAL_ASSETS_H
#define HD_CLI_TUTORIAL_ASSETS_H

extern const unsigned char hd_asset_flaky[], hd_asset_fixed[];

#endif
