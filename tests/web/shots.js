// Takes the pictures of docs/images: node shots.js REPORTS CHROMIUM OUT. REPORTS is a folder that make_report has filled.
'use strict';
const path = require('path');
const { chromium } = require('playwright-core');
const [dir, executablePath, out] = process.argv.slice(2);
const shots = [
  ['report-list-light', 'bank', '', 1280, 'light', ''],
  ['report-race-light', 'bank', '#R-7f3a9c12', 1280, 'light', ''],
  ['report-race-dark', 'bank', '#R-7f3a9c12', 1280, 'dark', 'jjj'],
  ['report-race-narrow-light', 'bank', '#R-7f3a9c12', 400, 'light', ''],
  ['report-race-narrow-dark', 'bank', '#R-7f3a9c12', 400, 'dark', ''],
  ['report-predicted-light', 'bank', '#R-0b44d1ee', 1280, 'light', ''],
  ['report-atomicity-dark', 'bank', '#R-2c91f07a', 1280, 'dark', ''],
  ['report-deadlock-light', 'bank', '#R-55e0a3b9', 1280, 'light', ''],
  ['report-six-threads-light', 'crowd', '#R-7f3a9c12', 1280, 'light', ''],
  ['report-coverage-dark', 'bank', '#coverage', 1280, 'dark', '']
];
(async () => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  for (const [name, report, hash, width, colorScheme, keys] of shots) {
    const context = await browser.newContext({ viewport: { width, height: 860 }, colorScheme });
    const page = await context.newPage();
    await page.goto('file://' + path.resolve(dir, report + '.html') + hash);
    for (const key of keys) await page.keyboard.press(key);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: path.join(out, name + '.png'), fullPage: true });
    await context.close();
  }
  await browser.close();
})();
