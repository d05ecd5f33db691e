/* The page works without this: text, sources and schedules are all there. What is added here: one
   finding at a time, sorting and filters, the picture of a schedule, stepping, copying. Texts of
   programs only ever pass through textContent. */
(function () {
  'use strict';
  var root = document.documentElement;
  var $ = function (selector, from) { return (from || document).querySelector(selector); };
  var $$ = function (selector, from) { return Array.from((from || document).querySelectorAll(selector)); };
  var make = function (tag, className, text) {
    var e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  var svg = function (tag, attributes, to) {
    var e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.keys(attributes).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    to.appendChild(e);
    return e;
  };
  var say = function (text) { $('#said').textContent = text; };
  var remember = function (key, value) { /* storage may be closed for files */
    try {
      if (value === undefined) return localStorage.getItem('heddle-' + key);
      localStorage.setItem('heddle-' + key, value);
    } catch (e) { return null; }
  };
  root.classList.add('js');

  /* ---- pages ---- */
  var pages = $$('.page'), articles = $$('.finding');
  var current = null;
  /* A long report has its findings as text, which the browser need not look at: only what is opened
     becomes a part of the page. Without scripts a <noscript> is read like everything else. */
  function parsed(article) {
    var later = $('noscript', article), t = make('template');
    if (!later) return null;
    t.innerHTML = later.textContent;
    return t.content;
  }
  function complete(article) {
    var rest = parsed(article);
    if (rest) article.replaceChild(rest, $('noscript', article));
  }
  function show() {
    var name = '';
    try { name = decodeURIComponent(location.hash.slice(1)); } catch (e) { name = ''; }
    if (name === 'main') return;
    var target = name && document.getElementById(name);
    var page = (target && target.closest('.page')) || pages[0];
    if (page === current) return;
    current = page;
    pages.forEach(function (p) { p.classList.toggle('on', p === page); });
    $$('nav a').forEach(function (a) {
      if (a.hash.slice(1) === page.id) a.setAttribute('aria-current', 'page');
      else a.removeAttribute('aria-current');
    });
    if (page.classList.contains('finding')) pictureOf(page).open();
    if (target && target !== page) target.scrollIntoView({ behavior: 'instant' });
    else window.scrollTo({ top: 0, behavior: 'instant' });
    var heading = $('h1', page);
    document.title = heading.textContent + ' \u2014 Heddle';
  }
  window.addEventListener('hashchange', function () { show(); $('#main').focus({ preventScroll: true }); });

  function go(step) {
    if (!articles.length) return;
    var i = articles.indexOf(current);
    var next = i < 0 ? (step > 0 ? 0 : articles.length - 1) : i + step;
    if (articles[next]) turnTo(articles[next].id);
  }
  /* At once: the next key may come before the browser tells of the new address. */
  function turnTo(id) {
    location.hash = id;
    show();
  }

  /* ---- the list ---- */
  var table = $('#findings');
  if (table) setUpList();
  function setUpList() {
    var groups = $$('tbody', table), rows = $$('tbody tr:not(.group)', table);
    var home = new Map(rows.map(function (r) { return [r, r.parentNode]; }));
    var flat = make('tbody', 'flat'), grouped = true;
    flat.hidden = true;
    table.appendChild(flat);
    var status = 'all', known = 'all', text = '', words = null;
    function wordsOf(row) { /* its own and the name of its group, read when the user searches */
      if (!words) words = new Map(rows.map(function (r) { return [r, (r.textContent + ' ' + $('.group', home.get(r)).textContent).toLowerCase()]; }));
      return words.get(row);
    }

    function filter() {
      var shown = 0;
      rows.forEach(function (r) {
        var sure = r.dataset.status !== 'predicted';
        var ok = (status === 'all' || (status === 'confirmed') === sure) &&
                 (known === 'all' || r.dataset.known === '0') &&
                 (text === '' || wordsOf(r).indexOf(text) >= 0);
        r.hidden = !ok;
        shown += ok;
      });
      groups.forEach(function (g) { g.hidden = !grouped || !$$('tr:not(.group)', g).some(function (r) { return !r.hidden; }); });
      $('#shown').textContent = shown === rows.length ? rows.length + ' shown' : shown + ' of ' + rows.length + ' shown';
    }
    function keyOf(row, column) {
      var cell = row.cells[column];
      var k = cell.dataset.k !== undefined ? cell.dataset.k : cell.textContent.trim();
      return k !== '' && !isNaN(k) ? Number(k) : k;
    }
    function compare(a, b) { return typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === 'number' ? -1 : 1; }
    function sort(column, sign) {
      var by = function (a, b) { return sign * compare(keyOf(a, column), keyOf(b, column)); };
      if (!grouped) {
        $$('tr', flat).sort(by).forEach(function (r) { flat.appendChild(r); });
        return;
      }
      groups.forEach(function (g) { $$('tr:not(.group)', g).sort(by).forEach(function (r) { g.appendChild(r); }); });
      groups.sort(function (g, h) { return by($('tr:not(.group)', g), $('tr:not(.group)', h)); })
        .forEach(function (g) { table.insertBefore(g, flat); });
    }
    $$('th button', table).forEach(function (button) {
      button.addEventListener('click', function () {
        var th = button.parentNode, up = th.getAttribute('aria-sort') === 'ascending';
        $$('th[aria-sort]', table).forEach(function (o) { o.setAttribute('aria-sort', 'none'); });
        th.setAttribute('aria-sort', up ? 'descending' : 'ascending');
        sort(th.cellIndex, up ? -1 : 1);
        say('Sorted by ' + button.textContent + (up ? ', descending' : ', ascending'));
      });
    });
    function choice(name, act) {
      $$('[data-' + name + ']', $('.filters')).forEach(function (b) {
        b.addEventListener('click', function () {
          $$('[data-' + name + ']', $('.filters')).forEach(function (o) { o.setAttribute('aria-pressed', String(o === b)); });
          act(b.dataset[name]);
        });
      });
    }
    choice('status', function (v) { status = v; filter(); });
    choice('known', function (v) { known = v; filter(); });
    $('#by-variable').addEventListener('click', function () {
      grouped = !grouped;
      this.setAttribute('aria-pressed', String(grouped));
      rows.forEach(function (r) { (grouped ? home.get(r) : flat).appendChild(r); });
      flat.hidden = grouped;
      filter();
    });
    $('#search').addEventListener('input', function () { text = this.value.toLowerCase(); filter(); });
    filter();
  }

  /* ---- sources: every line that the report holds, by file ---- */
  function collect(panes, into, once) {
    panes.forEach(function (src) {
      var file = into.get(src.dataset.file) || new Map();
      into.set(src.dataset.file, file);
      $$('span', src).forEach(function (s) {
        var n = Number(s.dataset.n), text = s.textContent;
        /* Two programs may have files of one name: a line that differs belongs to neither. */
        file.set(n, once && file.has(n) && file.get(n) !== text ? null : text);
      });
    });
    return into;
  }
  var lines = null;
  function lineOf(picture, file, n) {
    var own = picture.own.get(file);
    if (own && own.has(n)) return own.get(n);
    if (!lines) lines = collect($$('.src[data-file]').concat($$('.src', $('#sources').content)), new Map(), true);
    var all = lines.get(file), text = all && all.get(n);
    return text === undefined ? null : text;
  }

  /* ---- the picture of one schedule ---- */
  var pictures = new Map();
  function pictureOf(article) {
    complete(article);
    if (!pictures.has(article)) pictures.set(article, new Picture(article));
    return pictures.get(article);
  }

  function Picture(article) {
    this.article = article;
    this.table = $('.steps', article);
    this.box = $('.lanes', article);
    this.recorded = false;
    this.full = false;
    this.selected = null;
    this.ready = false;
    this.own = collect($$('.src[data-file]', article), new Map(), false);
    this.panes = $$('.pane', article).map(function (pane) { return new Pane(pane); });
    if (!this.table) return;
    this.data = JSON.parse(this.table.dataset.picture);
    this.steps = $$('tbody tr', this.table).map(function (row, place) {
      var c = row.cells, where = $('i', c[4]);
      return { i: Number(row.dataset.i), lane: Number(row.dataset.t), op: row.dataset.o, place: place,
               recorded: Number(c[1].textContent), no: c[0].textContent, thread: c[2].textContent, words: c[3].textContent,
               where: c[4].textContent, file: where ? where.textContent : '', line: Number(row.dataset.n || 0),
               holds: c[5].textContent.trim(), essential: row.classList.contains('e'), racing: row.classList.contains('racing'),
               mark: row.dataset.m || '', event: row.dataset.e || '', plain: row.dataset.w || '' };
    });
  }

  Picture.prototype.open = function () {
    var me = this;
    if (this.ready || !this.table) {
      this.panes.forEach(function (p) { p.center(); });
      if (this.table) this.connect();
      return;
    }
    this.ready = true;
    $('.astable', this.article).open = false;
    this.box.hidden = false;
    this.box.tabIndex = 0;
    this.box.setAttribute('role', 'listbox');
    this.box.setAttribute('aria-label', 'Schedule: one lane for each thread, time downwards');
    $$('[data-order]', this.article).forEach(function (b) {
      b.addEventListener('click', function () { me.setOrder(b.dataset.order === 'recorded'); });
    });
    $$('[data-detail]', this.article).forEach(function (b) {
      b.addEventListener('click', function () { me.setDetail(b.dataset.detail === 'full'); });
    });
    this.box.addEventListener('keydown', function (e) {
      var by = { ArrowDown: 1, ArrowUp: -1, Home: -1e9, End: 1e9 }[e.key];
      if (!by || e.altKey || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      me.step(by);
    });
    if (window.ResizeObserver) new ResizeObserver(function () { me.connect(); }).observe(this.box);
    this.draw();
    this.panes.forEach(function (p) { p.center(); });
    var first = this.steps.find(function (s) { return s.racing; });
    if (first) this.inspect(first);
  };

  Picture.prototype.setOrder = function (recorded) {
    this.recorded = recorded;
    press(this.article, 'order', recorded ? 'recorded' : 'witness');
    this.draw();
    say(recorded ? 'Recorded order' : 'Witness order');
  };
  Picture.prototype.setDetail = function (full) {
    this.full = full;
    press(this.article, 'detail', full ? 'full' : 'minimal');
    this.draw();
    say(full ? 'All events' : 'Essential events');
  };
  function press(article, name, value) {
    $$('[data-' + name + ']', article).forEach(function (b) { b.setAttribute('aria-pressed', String(b.dataset[name] === value)); });
  }

  /* Rows of the picture: lists of steps. In a witness the accesses of a race share the last row. */
  Picture.prototype.rows = function () {
    var me = this, order = this.steps.slice();
    if (this.recorded) order.sort(function (a, b) { return a.recorded - b.recorded; });
    order = order.filter(function (s) { return me.full || s.essential; });
    var rows = [], together = this.table.dataset.together === '1' && !this.recorded;
    order.forEach(function (s) {
      var last = rows[rows.length - 1];
      if (together && s.racing && last && last[0].racing && last.every(function (o) { return o.lane !== s.lane; })) last.push(s);
      else rows.push([s]);
    });
    return rows;
  };

  Picture.prototype.draw = function () {
    var me = this, lanes = this.data.lanes, deepest = 0, depth = [];
    this.data.holds.forEach(function (h) { depth[h[0]] = Math.max(depth[h[0]] || 0, h[5] + 1); deepest = Math.max(deepest, h[5] + 1); });
    this.shown = this.rows();
    this.box.textContent = '';
    var inner = make('div', 'inner');
    inner.setAttribute('role', 'presentation');
    /* Lanes in which nothing is shown are narrow. */
    var busy = lanes.map(function (name, lane) { return me.shown.some(function (steps) { return steps.some(function (s) { return s.lane === lane; }); }); });
    inner.style.setProperty('--n', busy.reduce(function (n, b) { return n + (b ? 1 : .3); }, 0));
    inner.style.setProperty('--cols', busy.map(function (b) { return b ? 'minmax(var(--lane), 1fr)' : 'minmax(calc(var(--lane) * .3), .3fr)'; }).join(' '));
    inner.style.setProperty('--bars', Math.min(deepest, 4));
    var heads = make('div', 'heads');
    heads.setAttribute('role', 'presentation');
    heads.setAttribute('aria-hidden', 'true');
    heads.appendChild(make('div', '', '#'));
    lanes.forEach(function (name) { heads.appendChild(make('div', '', name)); });
    inner.appendChild(heads);
    this.cells = new Map();
    this.shown.forEach(function (steps, r) {
      var row = make('div', 'row');
      row.setAttribute('role', 'presentation');
      var no = make('div', 'no', me.recorded ? String(steps[0].recorded) : steps[0].no);
      no.setAttribute('aria-hidden', 'true');
      row.appendChild(no);
      lanes.forEach(function (name, lane) {
        var cell = make('div', 'cell');
        cell.setAttribute('role', 'presentation');
        steps.filter(function (s) { return s.lane === lane; }).forEach(function (s) { cell.appendChild(me.eventBox(s, r)); });
        row.appendChild(cell);
      });
      inner.appendChild(row);
    });
    this.box.appendChild(inner);
    this.connect();
    if (this.selected && this.cells.has(this.selected)) this.select(this.selected, true);
    else { this.selected = null; this.box.removeAttribute('aria-activedescendant'); }
  };

  /* What a racing access reads or writes in the witness depends on who goes first. */
  Picture.prototype.wordsOf = function (s) { return s.plain && !this.recorded && this.table.dataset.together === '1' ? s.plain : s.words; };

  Picture.prototype.eventBox = function (s, row) {
    var me = this, box = make('div', 'ev' + (s.racing ? ' racing' : ''));
    box.id = this.article.id + '-e' + s.i;
    box.setAttribute('role', 'option');
    box.setAttribute('aria-selected', 'false');
    if (s.mark) { box.appendChild(make('span', 'mark', s.mark)); box.appendChild(document.createTextNode(' ')); }
    box.appendChild(document.createTextNode(this.wordsOf(s) + ' '));
    if (s.line) box.appendChild(make('small', '', ':' + s.line));
    box.setAttribute('aria-label', box.textContent + ', ' + s.thread + ', row ' + (row + 1) + ', ' + s.where +
      (s.racing ? ', ' + this.table.dataset.word : '') + (s.holds ? ', holds ' + s.holds : ''));
    box.addEventListener('click', function () { me.select(s); });
    box.addEventListener('mouseenter', function () { me.inspect(s); });
    box.addEventListener('mouseleave', function () { if (me.selected) me.inspect(me.selected); });
    this.cells.set(s, box);
    return box;
  };

  /* Lines, arrows and bars, from where the boxes have come to lie. */
  Picture.prototype.connect = function () {
    var me = this, inner = $('.inner', this.box);
    if (!inner || !inner.offsetWidth) return;
    var old = $('svg', inner);
    if (old) old.remove();
    var frame = inner.getBoundingClientRect(), at = new Map(), rowOf = new Map(), cellsOfFirst = $$('.row .cell', inner);
    var bars = Number(inner.style.getPropertyValue('--bars'));
    var left = this.data.lanes.map(function (n, lane) { return cellsOfFirst[lane] ? cellsOfFirst[lane].getBoundingClientRect().left - frame.left : 0; });
    this.shown.forEach(function (steps, r) {
      steps.forEach(function (s) {
        var b = me.cells.get(s).getBoundingClientRect();
        at.set(s.i, { x: left[s.lane] + bars * 15 + 13, y: b.top + b.height / 2 - frame.top, right: b.right - frame.left, s: s });
        rowOf.set(s.i, r);
      });
    });
    var art = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    art.setAttribute('width', inner.scrollWidth);
    art.setAttribute('height', inner.scrollHeight);
    art.setAttribute('aria-hidden', 'true');
    inner.appendChild(art);
    this.drawBars(art, at, left);
    this.drawRun(art, at);
    this.arrows(at).forEach(function (e) { me.drawArrow(art, at.get(e[0]), at.get(e[1]), e[2]); });
    this.shown.forEach(function (steps) { if (steps.length > 1) me.drawClash(art, steps.map(function (s) { return at.get(s.i); })); });
    at.forEach(function (p) { svg('circle', { cx: p.x, cy: p.y, r: p.s.racing ? 5 : 4, class: 'dot' + (p.s.racing ? ' racing' : '') }, art); });
  };

  /* Arrows between events that are shown. One from or to a hidden event starts at the last event of
     its thread before, or ends at the next one after. */
  Picture.prototype.arrows = function (at) {
    var me = this, order = this.steps.slice(), seen = {};
    if (this.recorded) order.sort(function (a, b) { return a.recorded - b.recorded; });
    var placeOf = new Map(order.map(function (s, k) { return [s.i, k]; }));
    var near = function (i, by) {
      var k = placeOf.get(i), lane = order[k] && order[k].lane;
      while (order[k] && (order[k].lane !== lane || !at.has(order[k].i))) k += by;
      return order[k] ? order[k].i : -1;
    };
    return (me.recorded ? me.data.r : me.data.w).map(function (e) { return [near(e[0], -1), near(e[1], 1), e[2]]; })
      .filter(function (e) { var k = e.join(); return e[0] >= 0 && e[1] >= 0 && !seen[k] && (seen[k] = true); });
  };

  /* A bar for each lock that is held, as far as its steps are shown. */
  Picture.prototype.drawBars = function (art, at, left) {
    var me = this, flatSteps = [].concat.apply([], this.shown);
    this.data.holds.forEach(function (h) {
      var own = flatSteps.filter(function (s) { return s.lane === h[0] && s.i >= h[1] && (h[2] < 0 || s.i <= h[2]); });
      if (!own.length) return;
      var a = at.get(own[0].i), b = at.get(own[own.length - 1].i), x = left[h[0]] + 4 + Math.min(h[5], 3) * 15;
      var open = h[2] < 0, height = Math.max(b.y - a.y + (open ? 13 : 0), 4) + 14;
      svg('rect', { x: x, y: a.y - 7, width: 12, height: height, rx: 2.5, class: 'held' + (h[4] ? ' shared' : '') }, art);
      svg('text', { x: x + 6, y: a.y - 7 + height / 2 + 3.5, class: 'held-no' }, art).textContent = String(me.data.locks.indexOf(h[3]) + 1);
    });
  };

  /* The way of the processor through the lanes: straight in one thread, dashed when it changes. */
  Picture.prototype.drawRun = function (art, at) {
    for (var r = 1; r < this.shown.length; r++) {
      var a = at.get(this.shown[r - 1][0].i);
      for (var k = 0; k < this.shown[r].length; k++) {
        var b = at.get(this.shown[r][k].i), same = a.x === b.x, mid = a.y + 13.5;
        svg('path', { d: 'M' + a.x + ' ' + a.y + (same ? '' : 'V' + mid + 'H' + b.x) + 'V' + b.y, class: same ? 'run' : 'jump' }, art);
      }
    }
  };

  Picture.prototype.drawArrow = function (art, a, b, kind) {
    /* From the end of the words to the dot, or back from the dot to the end of the words: no words are crossed. */
    var right = b.x > a.x, start = right ? a.right + 2 : a.x - 6, end = right ? b.x - 6 : b.right + 2;
    var bend = Math.max(24, Math.abs(end - start) * .45) * (right ? 1 : -1);
    svg('path', { d: 'M' + start + ' ' + a.y + 'C' + (start + bend) + ' ' + a.y + ' ' + (end - bend) + ' ' + b.y + ' ' + end + ' ' + b.y, class: kind === 6 ? 'sync weak' : 'sync' }, art);
    head(art, end, b.y, right, 'head');
  };
  Picture.prototype.drawClash = function (art, points) {
    points.sort(function (a, b) { return a.x - b.x; });
    for (var i = 1; i < points.length; i++) {
      var from = points[i - 1].right + 3, to = points[i].x - 8;
      svg('path', { d: 'M' + (from + 5) + ' ' + points[i].y + 'H' + (to - 5), class: 'clash' }, art);
      head(art, from, points[i].y, false, 'clash-head');
      head(art, to, points[i].y, true, 'clash-head');
    }
  };
  function head(art, x, y, right, className) {
    var d = right ? -8 : 8;
    svg('path', { d: 'M' + x + ' ' + y + 'l' + d + ' -4.5v9z', class: className }, art);
  }

  Picture.prototype.step = function (by) {
    var order = [].concat.apply([], this.shown);
    if (!order.length) return;
    var i = this.selected ? order.indexOf(this.selected) : by > 0 ? -1 : order.length;
    this.select(order[Math.max(0, Math.min(order.length - 1, i + by))]);
  };

  Picture.prototype.select = function (s, quiet) {
    var me = this;
    this.cells.forEach(function (box, step) { box.setAttribute('aria-selected', String(step === s)); });
    this.selected = s;
    this.box.setAttribute('aria-activedescendant', this.cells.get(s).id);
    if (!quiet) {
      this.article.classList.add('picked');
      this.cells.get(s).scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      say(this.cells.get(s).getAttribute('aria-label'));
    }
    this.inspect(s);
    this.panes.forEach(function (p) { p.follow(s, me); });
  };

  /* What is known of one event, in the side. */
  Picture.prototype.inspect = function (s) {
    var out = $('.event dl', this.article), me = this;
    out.textContent = '';
    var line = lineOf(this, s.file, s.line);
    var put = function (name, text, tag) {
      if (!text) return;
      out.appendChild(make('dt', '', name));
      var dd = make('dd');
      dd.appendChild(tag ? make(tag, '', text) : document.createTextNode(text));
      out.appendChild(dd);
    };
    put('Event', (this.recorded ? s.recorded : s.no) + ', ' + s.thread + (s.racing ? ', ' + this.table.dataset.word + ' ' + s.mark : ''));
    put('Does', this.wordsOf(s), 'code');
    var values = s.mark && $$('.orders tbody tr', this.article).find(function (r) { var m = $('.mark', r); return m && m.textContent === s.mark; });
    if (values) put('Value', $$('.orders thead th', this.article).map(function (th, k) { return th.textContent + ' ' + values.cells[k + 1].textContent; }).join(', '));
    put('At', s.where);
    put('Line', line && line.trim(), 'pre');
    put('Holds', s.holds || 'no lock');
    var names = { 0: 'lock given back', 1: 'created', 2: 'ended', 3: 'notified', 4: 'barrier reached', 5: 'atomic value written', 6: 'atomic value written, without ordering memory' };
    (this.recorded ? this.data.r : this.data.w).forEach(function (e) {
      var from = e[1] === s.i && me.steps.find(function (o) { return o.i === e[0]; });
      if (from) put('After', names[e[2]] + ' by ' + from.thread + ' (event ' + (me.recorded ? from.recorded : from.no) + ')');
    });
    var stack = (s.mark && $('.pane[data-mark="' + s.mark + '"] .stack', this.article)) ||
                (s.event && $('.stack[data-e="' + s.event + '"]', this.article));
    if (stack) {
      out.appendChild(make('dt', '', 'Stack'));
      var dd = make('dd'), copy = stack.cloneNode(true);
      copy.className = 'stack';
      dd.appendChild(copy);
      out.appendChild(dd);
    }
  };

  /* ---- source panes ---- */
  function Pane(pane) {
    this.pane = pane;
    this.thread = pane.dataset.thread;
    this.src = $('.src', pane);
    if (this.src) { this.file = this.src.dataset.file; this.hit = Number(this.src.dataset.hit); this.place = $('.place', pane); this.words = this.place.textContent; }
  }
  Pane.prototype.center = function () {
    var hit = this.src && ($('.cur', this.src) || $('.hit', this.src));
    if (hit) this.src.scrollTop = hit.offsetTop - this.src.offsetTop - (this.src.clientHeight - hit.offsetHeight) / 2;
  };
  /* Shows where the thread is. The first pane of a thread follows it; the others keep their place. */
  Pane.prototype.follow = function (s, picture) {
    var me = this, panes = picture.panes, first = panes.find(function (p) { return p.thread === me.thread; });
    if (!this.src || s.thread !== this.thread || (first !== this && !(s.mark && s.mark === this.pane.dataset.mark))) return;
    if (first === this && s.mark && s.mark !== this.pane.dataset.mark &&
        panes.some(function (p) { return p !== me && p.pane.dataset.mark === s.mark; })) return;
    this.place.textContent = s.where;
    this.src.textContent = '';
    if (lineOf(picture, s.file, s.line) === null) {
      this.src.appendChild(make('span', '', 'The report holds no source for this place.'));
      return;
    }
    for (var n = s.line - 8; n <= s.line + 8; n++) {
      var text = lineOf(picture, s.file, n);
      if (text === null) continue;
      var line = make('span', (s.file === this.file && n === this.hit ? 'hit' : '') + (n === s.line ? ' cur' : ''), text);
      line.dataset.n = String(n);
      this.src.appendChild(line);
    }
    this.center();
  };

  /* ---- copy, theme, keys, print ---- */
  document.addEventListener('click', function (e) {
    var button = e.target.closest && e.target.closest('.cmd button');
    if (!button) return;
    var code = $('code', button.parentNode);
    var done = function () { button.textContent = 'Copied'; say('Copied'); setTimeout(function () { button.textContent = 'Copy'; }, 1500); };
    var select = function () {
      var range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      if (document.execCommand('copy')) done();
    };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(code.textContent).then(done, select);
    else select();
  });

  var themes = ['', 'light', 'dark'], names = { '': 'as the system has it', light: 'light', dark: 'dark' };
  function setTheme(theme) {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    $('#theme').setAttribute('aria-label', 'Theme: ' + names[theme]);
    $('#theme').title = 'Theme: ' + names[theme];
  }
  setTheme(themes.indexOf(remember('theme')) > 0 ? remember('theme') : '');
  $('#theme').addEventListener('click', function () {
    var next = themes[(themes.indexOf(root.dataset.theme || '') + 1) % 3];
    setTheme(next);
    remember('theme', next);
  });

  var help = $('#help');
  $('#keys').addEventListener('click', function () { help.showModal(); });
  document.addEventListener('keydown', function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || help.open || /^(input|textarea|select)$/i.test(e.target.tagName)) return;
    var picture = current && current.classList.contains('finding') ? pictureOf(current) : null;
    if (picture && !picture.table) picture = null;
    var act = {
      j: picture && function () { picture.step(1); },
      k: picture && function () { picture.step(-1); },
      w: picture && function () { picture.setOrder(!picture.recorded); },
      m: picture && function () { picture.setDetail(!picture.full); },
      n: function () { go(1); },
      p: function () { go(-1); },
      i: function () { turnTo('index'); },
      '?': function () { help.showModal(); }
    }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
  window.addEventListener('beforeprint', function () { articles.forEach(complete); $$('details').forEach(function (d) { d.open = true; }); });
  show();
  root.classList.remove('loading');
})();
