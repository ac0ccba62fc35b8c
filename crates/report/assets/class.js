// What a user does: clicks, keys, tabs, and addresses.

function showTab(name) {
  for (const tab of ['tests', 'paths']) {
    const chosen = tab === name;
    byId(tab).hidden = !chosen;
    byId('tab-' + tab).setAttribute('aria-selected', String(chosen));
    byId('tab-' + tab).tabIndex = chosen ? 0 : -1;
  }
  if (name === 'paths' && !byId('trees').querySelector('.method, .hint')) showTrees();
}

// The address after `#` says what to show: test=NAME, line=N, search=TEXT, kind=infeasible,time-out, node=TREE.NODE, tab=paths.
function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has('search') || asked.has('kind')) {
    byId('search').value = asked.get('search') || '';
    const kinds = (asked.get('kind') || '').split(',');
    for (const box of document.querySelectorAll('#kinds input')) box.checked = kinds.includes(KINDS[box.value][0]);
    showTrees();
    showTab('paths');
  } else if (asked.has('node')) {
    const [place, node] = asked.get('node').split('.').map(Number);
    showTab('paths');
    showNode(place, node);
  } else if (asked.has('tab')) {
    showTab(asked.get('tab') === 'paths' ? 'paths' : 'tests');
  }
  if (asked.has('line')) selectRow(Number(asked.get('line')));
  if (asked.has('test')) {
    const number = page.tests.findIndex((test) => test.name === asked.get('test'));
    if (number >= 0) {
      if (!asked.has('node') && !asked.has('search')) showTab('tests');
      byId('T' + number).hidden = false;
      byId('T' + number).open = true;
      selectTest(number);
      bringIntoView(byId('T' + number));
    }
  }
}

let typing;
function search() {
  clearTimeout(typing);
  typing = setTimeout(() => {
    showTrees();
    const { words, kinds } = wanted();
    const asked = new URLSearchParams();
    if (words.length) asked.set('search', byId('search').value);
    if (kinds) asked.set('kind', [...kinds].map((kind) => KINDS[kind][0]).join(','));
    remember(asked.toString());
  }, 120);
}

// Keys of a tree, as WAI-ARIA has them.
function treeKey(event, row) {
  const view = row.parentElement.view;
  const expanded = row.getAttribute('aria-expanded');
  const upwards = () => {
    let before = row.previousElementSibling;
    while (before && before.level >= row.level) before = before.previousElementSibling;
    return before;
  };
  const to = {
    ArrowDown: () => row.nextElementSibling,
    ArrowUp: () => row.previousElementSibling,
    ArrowRight: () => (expanded === 'false' ? view.expand(row) : expanded && row.nextElementSibling),
    ArrowLeft: () => (expanded === 'true' ? view.collapse(row) : upwards()),
    Home: () => row.parentElement.firstElementChild,
    End: () => row.parentElement.lastElementChild,
    Enter: () => view.toggle(row),
    ' ': () => view.toggle(row),
  }[event.key];
  if (!to || event.target !== row) return;
  event.preventDefault();
  const next = to();
  if (next) focusRow(next);
}

function focusRow(row) {
  for (const other of row.parentElement.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

for (const [letter, [name]] of Object.entries(KINDS)) {
  const count = page.trees.filter((tree) => tree.own).reduce((sum, tree) => sum + tree.kinds.split(letter).length - 1, 0);
  const box = make('input', { type: 'checkbox', value: letter });
  byId('kinds').append(make('label', { class: 'k-' + letter }, box, shape(letter), name, make('b', {}, String(count))));
}
byId('path-count').textContent = page.trees.filter((tree) => tree.own).reduce((sum, tree) => sum + tree.kinds.split('t').length - 1, 0);

document.querySelector('.listing').addEventListener('click', (event) => {
  const row = event.target.closest('.r');
  if (!row || !row.querySelector('button.g') || getSelection().toString()) return;
  showTab('tests');
  selectRow(Number(row.id.slice(1)));
});
for (const test of document.querySelectorAll('details.test[id]')) {
  test.addEventListener('toggle', () => {
    if (test.open) selectTest(Number(test.id.slice(1)));
    else if (test.classList.contains('chosen')) { clearSelection(); remember(''); }
  });
}
byId('clear').addEventListener('click', () => { clearSelection(); remember(''); });
for (const tab of ['tests', 'paths']) {
  byId('tab-' + tab).addEventListener('click', () => showTab(tab));
  byId('tab-' + tab).addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    showTab(tab === 'tests' ? 'paths' : 'tests');
    document.querySelector('[role=tab][aria-selected=true]').focus();
  });
}
byId('find').addEventListener('input', search);
byId('find').addEventListener('submit', (event) => event.preventDefault());
byId('trees').addEventListener('click', (event) => {
  const row = event.target.closest('[role=treeitem]');
  if (!row || event.target.closest('a, button') || getSelection().toString()) return;
  row.parentElement.view.toggle(row);
  focusRow(row);
});
byId('trees').addEventListener('keydown', (event) => {
  const row = event.target.closest('[role=treeitem]');
  if (row) treeKey(event, row);
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented) { clearSelection(); remember(''); }
});
addEventListener('hashchange', follow);
follow();
