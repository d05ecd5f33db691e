// Drives the HTML reports in headless Chromium. Waits for conditions, never for time.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const [dir, executablePath] = process.argv.slice(2);
const url = (name, hash) => 'file://' + path.resolve(dir, name + '.html') + (hash || '');
let browser;

// A page that keeps what it complains about and what it asks the network for.
async function open(name, hash, options) {
  const context = await browser.newContext(Object.assign({ viewport: { width: 1280, height: 860 } }, options));
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (m) => page.complaints.push(m.type() + ': ' + m.text()));
  page.on('pageerror', (e) => page.complaints.push('error: ' + e.message));
  page.on('dialog', (d) => { page.complaints.push('dialog: ' + d.message()); d.dismiss(); });
  page.on('request', (r) => { if (r.url().split('#')[0] !== url(name)) page.complaints.push('request: ' + r.url()); });
  await page.goto(url(name, hash));
  return page;
}
async function close(page) {
  assert.deepStrictEqual(page.complaints, []);
  await page.context().close();
}
const texts = (page, selector) => page.locator(selector).evaluateAll((es) => es.filter((e) => e.offsetParent).map((e) => e.textContent.trim()));

const tests = {
  async 'the list sorts, filters and groups'() {
    const page = await open('bank');
    const ids = () => texts(page, '#findings tbody tr:not(.group) td:nth-child(7)');
    assert.deepStrictEqual(await ids(), ['R-2c91f07a', 'R-7f3a9c12', 'R-a1a1a1a1', 'R-55e0a3b9', 'R-0b44d1ee']);
    assert.strictEqual(await page.locator('#findings .group:visible').count(), 3);
    await page.click('text=Group by variable');
    assert.strictEqual(await page.locator('#findings .group:visible').count(), 0);
    await page.click('#findings th button:text-is("Id")');
    assert.deepStrictEqual(await ids(), ['R-0b44d1ee', 'R-2c91f07a', 'R-55e0a3b9', 'R-7f3a9c12', 'R-a1a1a1a1']);
    assert.strictEqual(await page.getAttribute('#findings th:nth-child(7)', 'aria-sort'), 'ascending');
    await page.click('#findings th button:text-is("Id")');
    assert.deepStrictEqual((await ids())[0], 'R-a1a1a1a1');
    await page.click('#findings th button:text-is("Seen")');
    assert.deepStrictEqual((await texts(page, '#findings tbody tr:not(.group) td:nth-child(5)')), ['1×', '1×', '1×', '4×', '4×']);
    await page.click('text=Group by variable');
    assert.strictEqual(await page.locator('#findings .group:visible').count(), 3);
    await page.click('button[data-status="predicted"]');
    assert.deepStrictEqual(await ids(), ['R-0b44d1ee']);
    await page.click('button[data-status="confirmed"]');
    assert.strictEqual((await ids()).length, 4);
    await page.click('button[data-known="new"]');
    assert.ok(!(await ids()).includes('R-a1a1a1a1'));
    await page.fill('#search', 'audit');
    assert.deepStrictEqual(await ids(), ['R-55e0a3b9']);
    assert.strictEqual(await page.textContent('#shown'), '1 of 5 shown');
    await page.fill('#search', 'no such thing');
    assert.deepStrictEqual(await ids(), []);
    assert.ok((await texts(page, '#index .lead')).join().includes('4 new, 1 known, 1 gone'));
    assert.deepStrictEqual(await texts(page, '#gone tbody td:nth-child(3)'), ['R-90e1']);
    await close(page);
  },

  async 'a finding is one page with two sources and lanes'() {
    const page = await open('bank');
    await page.click('a[href="#R-7f3a9c12"] >> visible=true');
    assert.deepStrictEqual(await texts(page, '.finding h1'), ["Data race on 'balance': read in withdraw (T1.1) and write in withdraw (T1.2)"]);
    assert.strictEqual(await page.locator('#index').isVisible(), false);
    assert.deepStrictEqual(await texts(page, '.finding .src .hit'), ['balance -= amount;', 'balance -= amount;']);
    assert.deepStrictEqual(await texts(page, '.lanes .heads div'), ['#', 'T1', 'T1.1', 'T1.2']);
    // Panes stand side by side, and the picture begins on the same screen.
    const [a, b] = await page.locator('.pane:visible').evaluateAll((es) => es.map((e) => e.getBoundingClientRect().toJSON()));
    assert.ok(a.top === b.top && a.right < b.left);
    assert.ok((await page.locator('.lanes:visible').boundingBox()).y < 700);
    // The racing accesses share the last row, with a link between them.
    const rows = await page.locator('.lanes:visible .row').evaluateAll((es) => es.map((e) => e.querySelectorAll('.ev').length));
    assert.strictEqual(rows[rows.length - 1], 2);
    assert.ok(rows.slice(0, -1).every((n) => n === 1));
    assert.strictEqual(await page.locator('.lanes:visible .clash').count(), 1);
    assert.strictEqual(await page.locator('.lanes:visible .sync').count(), 3);
    assert.strictEqual(await page.locator('.lanes:visible .held').count(), 2);
    assert.ok((await page.locator('.lanes:visible .jump').count()) >= 2);
    assert.ok((await texts(page, '.rest')).join().includes('assertion failed: src/bank.c:31'));
    assert.ok((await texts(page, '.cmd code')).includes('heddle replay --gdb heddle-out/1/witness-R-7f3a9c12.json'));
    assert.ok((await texts(page, '.cmd code')).includes('id:R-7f3a9c12'));
    await close(page);
  },

  async 'toggles change order and detail'() {
    const page = await open('bank', '#R-7f3a9c12');
    const events = () => texts(page, '.lanes .ev');
    const minimal = await events();
    assert.strictEqual(minimal.length, 8);
    await page.click('button[data-detail="full"]:visible');
    const full = await events();
    assert.strictEqual(full.length, 15);
    assert.strictEqual(full[2], 'read y = 50 :12');
    await page.click('button[data-order="recorded"]:visible');
    const recorded = await events();
    assert.strictEqual(recorded[2], 'read x = 80 :12');
    // Racing accesses show their values only in the order in which they had them.
    const plain = (t) => t.replace(/^([AB] .*) = \d+ /, '$1 ');
    assert.deepStrictEqual(recorded.map(plain).sort(), full.map(plain).sort());
    assert.ok(recorded.includes('B write balance = 50 :17') && full.includes('B write balance :17'));
    assert.strictEqual(await page.locator('.lanes:visible .clash').count(), 0);
    assert.strictEqual(await page.getAttribute('button[data-order="recorded"]:visible', 'aria-pressed'), 'true');
    await page.keyboard.press('w');
    await page.keyboard.press('m');
    assert.deepStrictEqual(await events(), minimal);
    await close(page);
  },

  async 'j and k step, the sources follow'() {
    const page = await open('bank', '#R-7f3a9c12');
    const selected = () => texts(page, '.lanes .ev[aria-selected="true"]');
    const current = () => texts(page, '.src .cur');
    await page.keyboard.press('j');
    assert.deepStrictEqual(await selected(), ['create thread T1.1 :41']);
    assert.ok((await texts(page, '.event dl')).join().includes('pthread_create(&a, NULL, withdraw, &x);'));
    for (let i = 0; i < 2; i++) await page.keyboard.press('j');
    assert.deepStrictEqual(await selected(), ['lock lock :13']);
    assert.deepStrictEqual(await current(), ['pthread_mutex_lock(&lock);']);
    assert.ok((await texts(page, '.place')).includes('src/bank.c:13 withdraw'));
    await page.keyboard.press('k');
    assert.deepStrictEqual(await selected(), ['create thread T1.2 :42']);
    for (let i = 0; i < 20; i++) await page.keyboard.press('j');
    assert.deepStrictEqual(await selected(), ['B write balance :17']);
    assert.ok((await texts(page, '.event dl')).join().includes('racing access B'));
    assert.ok((await page.locator('.lanes .ev[aria-selected="true"]').evaluate((e) => {
      const r = e.getBoundingClientRect();
      return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) === e;
    })), 'the selected event is in sight');
    // The same with the arrow keys, from the lanes themselves.
    await page.focus('.lanes:visible');
    await page.keyboard.press('Home');
    assert.deepStrictEqual(await selected(), ['create thread T1.1 :41']);
    await page.keyboard.press('ArrowDown');
    assert.deepStrictEqual(await selected(), ['create thread T1.2 :42']);
    assert.strictEqual(await page.getAttribute('.lanes:visible', 'aria-activedescendant'), 'R-7f3a9c12-e1');
    await close(page);
  },

  async 'hovering tells value, locks and stack'() {
    const page = await open('bank', '#R-7f3a9c12');
    await page.click('button[data-detail="full"]:visible');
    await page.hover('.lanes:visible .ev:has-text("read balance = 100 :14") >> nth=0');
    let said = (await texts(page, '.event dl')).join();
    assert.ok(said.includes('read balance = 100') && said.includes('Holdslock') && said.includes('int enough = balance >= amount;'), said);
    await page.hover('.lanes:visible .ev.racing >> nth=0');
    said = (await texts(page, '.event dl')).join();
    assert.ok(said.includes('no lock') && said.includes('withdraw src/bank.c:17:9') && said.includes('1 frame of libraries left out') && said.includes('recorded 100, A first 100, B first 50'), said);
    // Stacks of other events are known, too: of the creation of a thread.
    await page.hover('.lanes:visible .ev:has-text("create thread T1.1")');
    said = (await texts(page, '.event dl')).join();
    assert.ok(said.includes('Stack') && said.includes('main src/bank.c:41:5'), said);
    await close(page);
  },

  async 'a place inside a page is shown when it is opened'() {
    const page = await open('bank', '#gone', { viewport: { width: 1280, height: 300 } });
    const top = await page.evaluate(() => document.getElementById('gone').getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 300, 'the place is at ' + top);
    assert.ok(await page.evaluate(() => scrollY) > 0);
    assert.ok(await page.locator('#index').isVisible());
    await close(page);
  },

  async 'keys lead from page to page'() {
    const page = await open('bank');
    await page.keyboard.press('n');
    assert.strictEqual(await page.evaluate(() => location.hash), '#R-2c91f07a');
    await page.keyboard.press('n');
    await page.waitForSelector('#R-55e0a3b9', { state: 'visible' });
    await page.keyboard.press('p');
    await page.waitForSelector('#R-2c91f07a', { state: 'visible' });
    await page.keyboard.press('?');
    assert.ok(await page.locator('#help').isVisible());
    await page.keyboard.press('Escape');
    assert.ok(!(await page.locator('#help').isVisible()));
    await page.keyboard.press('i');
    await page.waitForSelector('#index', { state: 'visible' });
    await page.click('nav >> text=Coverage');
    await page.waitForSelector('#coverage', { state: 'visible' });
    const cover = (await texts(page, '#coverage')).join();
    for (const word of ['libcrypto.so.3', 'pthread_setaffinity_np', 'the time ran out', '1,234,567', 'unused', 'expired', 'ticket 12', '2026-01-31', 'a lost count does no harm']) assert.ok(cover.includes(word), word);
    // From the keyboard alone: the first link is the way past the header.
    await page.keyboard.press('i');
    await page.waitForSelector('#index', { state: 'visible' });
    await page.focus('#findings th button');
    await page.keyboard.press('Enter');
    assert.strictEqual(await page.getAttribute('#findings th', 'aria-sort'), 'ascending');
    await close(page);
  },

  async 'the copy button copies'() {
    const page = await open('bank', '#R-7f3a9c12', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.click('.cmd:visible button >> nth=0');
    await page.waitForSelector('.cmd button:text-is("Copied")');
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), 'heddle replay heddle-out/1/witness-R-7f3a9c12.json');
    await close(page);
  },

  async 'themes follow the system and the button'() {
    const page = await open('bank', '', { colorScheme: 'dark' });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.click('#theme');
    const light = await background();
    assert.notStrictEqual(light, dark);
    await page.click('#theme');
    assert.strictEqual(await background(), dark);
    await close(page);
  },

  async 'a deadlock waits in one row, an atomicity violation in three'() {
    const page = await open('bank', '#R-55e0a3b9');
    assert.strictEqual(await page.locator('.lanes:visible .row >> nth=-1 >> .ev').count(), 2);
    assert.strictEqual(await page.locator('.lanes:visible .held').count(), 2);
    assert.deepStrictEqual((await texts(page, '.lanes .ev')).slice(-2), ['A wait for log_lock :19', 'B wait for lock :30']);
    await page.goto(url('bank', '#R-2c91f07a'));
    await page.waitForSelector('#R-2c91f07a', { state: 'visible' });
    assert.strictEqual(await page.locator('.pane:visible').count(), 3);
    assert.strictEqual(await page.locator('.lanes:visible .clash').count(), 0);
    assert.deepStrictEqual(await texts(page, '.lanes .ev .mark'), ['A', 'B', 'C']);
    assert.deepStrictEqual(await texts(page, '.orders thead th'), ['recorded', 'in this order']);
    await close(page);
  },

  async 'six threads have six lanes, and no arrow hides behind words'() {
    for (const width of [1280, 400]) {
      const page = await open('crowd', '#R-7f3a9c12', { viewport: { width, height: 860 } });
      assert.deepStrictEqual(await texts(page, '.lanes .heads div'), ['#', 'T1', 'T1.5', 'T1.4', 'T1.3', 'T1.2', 'T1.1']);
      assert.strictEqual(await page.locator('.lanes:visible .sync').count(), 9); // five created, four times the lock
      const bad = await page.evaluate(() => {
        const ends = (path) => [0, path.getTotalLength()].map((at) => path.getPointAtLength(at).matrixTransform(path.getScreenCTM()));
        const boxes = Array.from(document.querySelectorAll('.finding.on .ev')).map((e) => e.getBoundingClientRect());
        const inside = (p) => boxes.some((b) => p.x > b.left && p.x < b.right && p.y > b.top && p.y < b.bottom);
        return Array.from(document.querySelectorAll('.finding.on .sync')).filter((path) => ends(path).some(inside)).length;
      });
      assert.strictEqual(bad, 0);
      assert.ok(!(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)), 'the page is not wider than the window: ' + width);
      // Whoever steps to the last event sees it, though its lane is far to the right.
      for (let i = 0; i < 30; i++) await page.keyboard.press('j');
      assert.deepStrictEqual(await texts(page, '.lanes .ev[aria-selected="true"]'), ['B write balance :17']);
      assert.ok(await page.locator('.lanes .ev[aria-selected="true"]').evaluate((e) => {
        const r = e.getBoundingClientRect();
        return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) === e;
      }), 'the selected event is in sight: ' + width);
      await close(page);
    }
  },

  async 'all can be read without JavaScript'() {
    const page = await open('bank', '', { javaScriptEnabled: false });
    assert.strictEqual(await page.locator('.finding:visible').count(), 5);
    assert.ok(await page.locator('#R-7f3a9c12 .steps').isVisible());
    assert.ok(await page.locator('#coverage').isVisible());
    assert.strictEqual(await page.locator('.js-only:visible').count(), 0);
    await close(page);
  },

  async 'all is printed'() {
    const page = await open('bank', '#R-7f3a9c12');
    await page.emulateMedia({ media: 'print' });
    assert.strictEqual(await page.locator('.finding:visible').count(), 5);
    assert.strictEqual(await page.locator('.tools:visible, .filters:visible, .controls:visible').count(), 0);
    await close(page);
  },

  async 'hostile texts stay texts'() {
    const page = await open('hostile');
    assert.strictEqual(await page.locator('img').count(), 0);
    assert.strictEqual(await page.locator('script').count(), 2);
    assert.ok(!(await page.title()).includes('owned') || (await page.title()).includes('<script>'));
    assert.strictEqual(await page.locator('[onmouseover], [onerror]').count(), 0);
    const long = await open('hostiles', '#R-7f3a9c12'); // findings that are read later are no other
    await long.waitForSelector('.finding.on .lanes .ev');
    assert.strictEqual(await long.locator('img').count(), 0);
    assert.strictEqual(await long.locator('script').count(), 2);
    assert.strictEqual(await long.locator('[onmouseover], [onerror]').count(), 0);
    assert.ok((await long.locator('.finding.on .src').allTextContents()).join().includes('<img src=x onerror=alert(1)>'));
    await close(long);
    for (const id of ['R-7f3a9c12', 'R-2c91f07a', 'R-55e0a3b9']) {
      await page.goto(url('hostile', '#' + id));
      await page.waitForSelector('#' + id, { state: 'visible' });
      assert.ok(await page.locator('.lanes:visible .ev').count() > 2);
      await page.keyboard.press('m');
      for (let i = 0; i < 6; i++) await page.keyboard.press('j');
      assert.ok((await page.locator('#' + id + ' .src').allTextContents()).join().includes('<img src=x onerror=alert(1)>'));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.ok(!wide, 'the page is not wider than the window');
    }
    await close(page);
  },

  async 'many findings, and none'() {
    const page = await open('many');
    assert.strictEqual((await texts(page, '#findings tbody tr:not(.group)')).length, 100);
    // Findings that are not looked at cost nothing, not even while the page loads.
    const laid = await (async () => {
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable');
      await page.reload();
      const { metrics } = await session.send('Performance.getMetrics');
      return Object.fromEntries(metrics.map((m) => [m.name, m.value]));
    })();
    assert.ok(laid.Nodes < 20000, laid.Nodes + ' nodes');
    assert.strictEqual(await page.locator('.steps').count(), 0);
    await page.keyboard.press('n');
    await page.waitForSelector('.finding.on .lanes .ev');
    assert.strictEqual(await page.locator('.steps').count(), 1);
    for (const key of 'mjjj') await page.keyboard.press(key);
    assert.ok(await page.locator('.finding.on .event dd pre').count() > 0, 'stepping shows the source');
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.strictEqual(await page.locator('.steps').count(), 100);
    await close(page);
    const plain = await open('many', '', { javaScriptEnabled: false });
    assert.strictEqual(await plain.locator('.finding:visible .astable').count(), 100);
    await close(plain);
    const empty = await open('empty');
    assert.deepStrictEqual(await texts(empty, 'h1'), ['Nothing found']);
    await empty.keyboard.press('n');
    await empty.keyboard.press('j');
    await close(empty);
    const sparse = await open('sparse');
    const links = await sparse.locator('#findings td a').evaluateAll((es) => es.map((e) => e.hash));
    assert.deepStrictEqual(links.slice().sort(), ['#R-1', '#finding-2', '#finding-3', '#finding-4', '#finding-5']);
    for (const link of links) {
      await sparse.evaluate((hash) => { location.hash = hash; }, link);
      await sparse.waitForSelector(link, { state: 'visible' });
      for (const key of 'mjjwjkkm') await sparse.keyboard.press(key);
    }
    await close(sparse);
  },

  async 'axe finds nothing, wide and narrow, light and dark'() {
    for (const [width, colorScheme, hashes] of [[1280, 'light', ['', '#R-7f3a9c12']], [1280, 'dark', ['#R-7f3a9c12', '#coverage']],
                                                [400, 'light', ['#R-55e0a3b9']], [400, 'dark', ['', '#R-7f3a9c12']]]) {
      for (const hash of hashes) {
        const page = await open('bank', hash, { viewport: { width, height: 860 }, colorScheme, bypassCSP: true });
        if (hash.startsWith('#R')) await page.keyboard.press('j');
        // What is not shown is not judged anyway, but costs time.
        await page.evaluate(() => document.querySelectorAll('.js .page:not(.on), #sources').forEach((e) => e.remove()));
        await page.evaluate(axe);
        const found = await page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
        assert.deepStrictEqual(found.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html.slice(0, 120) + n.failureSummary).join(' | ')), [], width + colorScheme + hash);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert.ok(!wide, 'the page is not wider than the window: ' + width + hash);
        await close(page);
      }
    }
  }
};

(async () => {
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  let failures = 0;
  for (const name of Object.keys(tests)) {
    const start = Date.now();
    try {
      await tests[name]();
      console.log('ok   ' + name + ' (' + (Date.now() - start) + ' ms)');
    } catch (e) {
      failures++;
      console.log('FAIL ' + name + '\n' + e.stack);
    }
  }
  await browser.close();
  process.exit(failures ? 1 : 0);
})();
