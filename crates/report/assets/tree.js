// Constraint trees: rows that are made when they are first seen, so that a tree of any size opens at once.

const KINDS = {
  c: ['computation', 'goes on'],
  t: ['terminal', 'ends'],
  u: ['unexplored', 'not tried'],
  i: ['infeasible', 'infeasible'],
  o: ['time-out', 'time-out'],
};
// Rows shown at first, rows shown for a search, and children shown of one node.
const FIRST_ROWS = 60, FOUND_ROWS = 400, MOST_CHILDREN = 200;

const testsAt = new Map();
page.tests.forEach((test, number) => {
  if (!test.leaf) return;
  const key = test.leaf.join('.');
  testsAt.set(key, (testsAt.get(key) || []).concat(number));
});

const textOf = (tree, node) => page.texts[tree.texts[node]];

// Children by node: those without further nodes first, so that a long path reads downwards without moving right.
function childrenOf(tree) {
  if (tree.children) return tree.children;
  const children = Array.from(tree.parents, () => []);
  for (let node = 1; node < tree.parents.length; node++) children[tree.parents[node]].push(node);
  const size = (node) => (children[node].length ? 1 : 0);
  for (const list of children) list.sort((a, b) => size(a) - size(b) || a - b);
  tree.calledAt = new Map(tree.calls.map(([node, ...call]) => [node, call]));
  return (tree.children = children);
}

function ancestors(tree, node) {
  const path = [];
  while (node !== 0) path.push((node = tree.parents[node]));
  return path;
}

function shape(kind) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'shape');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', '#k-' + kind);
  svg.append(use);
  return svg;
}

// A tree as it is shown: `only`, if set, holds the nodes that a search leaves.
class TreeView {
  constructor(place, only) {
    this.place = place;
    this.tree = page.trees[place];
    this.children = childrenOf(this.tree);
    this.only = only || null;
    this.rows = new Map();
    this.list = make('ul', { role: 'tree', class: 'tree', 'aria-label': 'Paths of ' + this.tree.name });
    this.list.view = this;
    this.list.append(this.row(0, 0, 1));
    this.list.firstElementChild.tabIndex = 0;
  }

  shown(node) {
    return this.only ? this.children[node].filter((child) => this.only.has(child)) : this.children[node];
  }

  row(node, indent, level) {
    const { tree } = this;
    const kind = tree.kinds[node];
    const row = make('li', { role: 'treeitem', class: 'node k-' + kind, 'aria-level': level, tabindex: -1 });
    Object.assign(row, { node, indent, level });
    this.rows.set(node, row);
    row.style.setProperty('--indent', Math.min(indent, 30));
    if (this.children[node].length) row.setAttribute('aria-expanded', 'false');
    row.append(shape(kind));
    if (kind !== 'c') row.append(make('span', { class: 'label' }, KINDS[kind][1]));
    row.append(this.text(node));
    if (tree.lines[node]) row.append(this.line(node));
    for (const number of testsAt.get(this.place + '.' + node) || []) {
      const test = page.tests[number];
      const href = '#test=' + encodeURIComponent(test.name);
      row.append(make('a', { href, class: 'to-test' + (test.failing ? ' bad' : ''), title: test.name, tabindex: -1 }, test.name));
    }
    return row;
  }

  text(node) {
    const text = textOf(this.tree, node);
    const call = this.tree.calledAt.get(node);
    if (node === 0) return make('code', {}, this.tree.name);
    if (!call) return marked(text || '…');
    const [callee, leaf, name] = call;
    const target = page.trees[callee];
    const known = target && leaf < target.parents.length;
    const title = known && 'Show this path of ' + target.name;
    const link = known ? make('a', { href: '#node=' + callee + '.' + leaf, tabindex: -1, title }, page.texts[name]) : page.texts[name];
    return make('span', { class: 'call' }, marked(text), ' in ', link);
  }

  line(node) {
    const line = this.tree.lines[node];
    const row = this.tree.rows[line];
    const href = row === undefined ? '' : '#line=' + row;
    return href ? make('a', { href, class: 'line', tabindex: -1 }, ':' + line) : make('span', { class: 'line' }, ':' + line);
  }

  expand(row) {
    if (row.getAttribute('aria-expanded') !== 'false') return;
    row.setAttribute('aria-expanded', 'true');
    const children = this.shown(row.node);
    const parent = this.tree.parents[row.node];
    const siblings = this.children[parent].filter((child) => this.children[child].length);
    const indent = row.node !== 0 && siblings.length === 1 ? row.indent : row.indent + 1;
    const rows = children.slice(0, MOST_CHILDREN).map((child) => this.row(child, indent, row.level + 1));
    if (children.length > MOST_CHILDREN) rows.push(this.more(row, children.slice(MOST_CHILDREN), indent));
    row.after(...rows);
  }

  more(parent, rest, indent) {
    const button = make('button', { type: 'button' }, plural(rest.length, 'more node'));
    const row = make('li', { class: 'node more', role: 'none' }, button);
    Object.assign(row, { level: parent.level + 1 });
    row.style.setProperty('--indent', Math.min(indent, 30));
    button.addEventListener('click', () => {
      const rows = rest.slice(0, MOST_CHILDREN).map((child) => this.row(child, indent, parent.level + 1));
      if (rest.length > MOST_CHILDREN) rows.push(this.more(parent, rest.slice(MOST_CHILDREN), indent));
      row.replaceWith(...rows);
    });
    return row;
  }

  collapse(row) {
    row.setAttribute('aria-expanded', 'false');
    let next = row.nextElementSibling;
    while (next && next.level > row.level) {
      this.rows.delete(next.node);
      next.remove();
      next = row.nextElementSibling;
    }
  }

  // A search leaves some nodes out; a click on their parent brings them back.
  toggle(row) {
    const state = row.getAttribute('aria-expanded');
    if (state === null) return;
    const hidden = this.only && this.children[row.node].some((child) => !this.only.has(child));
    if (hidden) {
      this.children[row.node].forEach((child) => this.only.add(child));
      this.collapse(row);
      this.expand(row);
    } else if (state === 'true') {
      this.collapse(row);
    } else {
      this.expand(row);
    }
  }

  // Expands level by level until there are about this many rows.
  expandTo(most) {
    let waiting = [this.list.firstElementChild];
    while (waiting.length && this.list.children.length < most) {
      const next = [];
      for (const row of waiting) {
        if (this.list.children.length >= most) break;
        this.expand(row);
        let child = row.nextElementSibling;
        while (child && child.level > row.level) {
          if (child.level === row.level + 1) next.push(child);
          child = child.nextElementSibling;
        }
      }
      waiting = next;
    }
  }

  // Expands the way to a node and returns its row.
  open(node) {
    for (const at of ancestors(this.tree, node).reverse()) this.expand(this.made(at));
    return this.made(node);
  }

  // The row of a node whose parent is expanded, if need be after the rows that were left for later.
  made(node) {
    let row = this.rows.get(node);
    while (!row) {
      const more = [...this.list.querySelectorAll('.more button')];
      if (!more.length) break;
      more.forEach((button) => button.click());
      row = this.rows.get(node);
    }
    return row;
  }
}

// A constraint in which what was searched for is marked.
function marked(text) {
  const code = make('code', {});
  const words = wanted().words;
  const lower = text.toLowerCase();
  let at = 0;
  while (at < text.length) {
    const hits = words.map((word) => [lower.indexOf(word, at), word.length]).filter(([hit]) => hit >= 0);
    if (!hits.length) break;
    const [hit, length] = hits.reduce((a, b) => (b[0] < a[0] ? b : a));
    code.append(text.slice(at, hit), make('mark', {}, text.slice(hit, hit + length)));
    at = hit + length;
  }
  code.append(text.slice(at));
  return code;
}

// What is searched for.
function wanted() {
  const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const kinds = [...document.querySelectorAll('#kinds input:checked')].map((box) => box.value).join('');
  return { words, kinds };
}

// The nodes of a tree that are searched for.
function matches(tree, { words, kinds }) {
  const found = [];
  childrenOf(tree);
  for (let node = 1; node < tree.parents.length; node++) {
    const kind = tree.kinds[node];
    if (kinds && !kinds.includes(kind)) continue;
    const call = tree.calledAt.get(node);
    const parts = [textOf(tree, node), call ? page.texts[call[2]] : '', ...KINDS[kind]];
    const text = words.length ? parts.join(' ').toLowerCase() : '';
    if (words.every((word) => text.includes(word))) found.push(node);
  }
  return found;
}

function counts(tree) {
  const list = make('span', { class: 'counts' });
  for (const kind of 'tiou') {
    const count = tree.kinds.split(kind).length - 1;
    if (count) list.append(make('span', { class: 'k-' + kind, title: KINDS[kind][0] }, shape(kind), String(count)));
  }
  return list;
}

// A method's section; its tree is made when it is first opened.
function section(place, only, found) {
  const tree = page.trees[place];
  const title = make('summary', {}, make('code', {}, tree.name), ' ', counts(tree));
  if (found !== undefined) title.append(make('span', { class: 'tag' }, found + ' found'));
  const element = make('details', { class: 'method', 'data-tree': place }, title);
  element.build = () => {
    if (element.view) return element.view;
    element.view = new TreeView(place, only);
    element.view.expandTo(only ? FOUND_ROWS : FIRST_ROWS);
    element.append(element.view.list);
    if (tree.more) element.append(make('p', { class: 'hint' }, plural(tree.more, 'more node') + ' not on this page.'));
    return element.view;
  };
  element.addEventListener('toggle', () => element.open && element.build());
  return element;
}

// Shows all trees, or those with nodes that are searched for.
function showTrees() {
  const query = wanted();
  const searching = query.words.length > 0 || query.kinds !== '';
  const groups = [[], []];
  let found = 0, opened = 0;
  page.trees.forEach((tree, place) => {
    let only, hits;
    if (searching) {
      const nodes = matches(tree, query);
      if (!nodes.length) return;
      hits = nodes.length;
      found += hits;
      only = new Set(nodes);
      for (const node of nodes) {
        for (let at = tree.parents[node]; !only.has(at); at = tree.parents[at]) only.add(at);
      }
    }
    const element = section(place, only, hits);
    const small = tree.own && opened + Math.min(tree.parents.length, FIRST_ROWS) <= FIRST_ROWS * 2;
    if (small || (searching && tree.own && opened < FOUND_ROWS)) {
      element.open = true;
      opened += element.build().list.children.length;
    }
    groups[tree.own ? 0 : 1].push(element);
  });
  const box = byId('trees');
  box.replaceChildren(...groups[0]);
  if (!page.trees.some((tree) => tree.own) && !searching) {
    box.append(make('p', { class: 'hint' }, 'No branch of this class depends on an input.'));
  }
  if (page.alike.length && !searching) {
    const names = page.alike.flatMap((name) => [make('code', {}, name), ', ']).slice(0, -1);
    box.append(make('p', { class: 'hint' }, 'One path for all inputs, as far as was seen: ', ...names));
  }
  if (groups[1].length) {
    const note = make('p', { class: 'hint' }, 'The constraints are over the inputs with which they were first called.');
    const others = make('details', { class: 'others' }, make('summary', {}, plural(groups[1].length, 'called method')), note, ...groups[1]);
    box.append(others);
  }
  byId('found').textContent = searching ? plural(found, 'node') + ' found' : '';
}

// Shows a node of a tree, whatever is searched for.
function showNode(place, node) {
  if (!page.trees[place] || !(node < page.trees[place].parents.length)) return;
  const element = document.querySelector('.method[data-tree="' + place + '"]');
  if (!element || (element.view && element.view.only)) {
    byId('search').value = '';
    document.querySelectorAll('#kinds input').forEach((box) => { box.checked = false; });
    showTrees();
    if (document.querySelector('.method[data-tree="' + place + '"]')) showNode(place, node);
    return;
  }
  const others = element.closest('.others');
  if (others) others.open = true;
  element.open = true;
  const row = element.build().open(node);
  document.querySelectorAll('.node.chosen').forEach((other) => other.classList.remove('chosen'));
  row.classList.add('chosen');
  row.scrollIntoView({ block: 'center' });
  row.focus({ preventScroll: true });
}
