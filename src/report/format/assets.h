/* The files of assets/, put into the program by the build (scripts/embed.cmake); each ends with a
 * NUL. page.html is the frame: the writer replaces each {{name}} in it.
 */
#ifndef HD_REPORT_FORMAT_ASSETS_H
#define HD_REPORT_FORMAT_ASSETS_H

extern const unsigned char hd_asset_page[], hd_asset_style[], hd_asset_script[];

#endif
