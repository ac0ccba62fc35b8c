'use strict';
// What is selected: a test, whose lines are lit, or a line, whose tests are listed.

const page = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);

// An element with text and attributes; text never becomes markup.
function make(tag, attributes, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

const plural = (count, word) => count + ' ' + word + (count === 1 ? '' : 's');

function rowElement(row) {
  return byId('L' + row);
}

// The row with whatever hides it opened.
function reveal(row) {
  const element = rowElement(row);
  const fold = element && element.closest('details');
  if (fold) fold.open = true;
  return element;
}

function bringIntoView(element) {
  const box = element.getBoundingClientRect();
  if (box.top < 60 || box.bottom > innerHeight - 40) element.scrollIntoView({ block: 'center' });
}

// Puts the state into the address, so that it can be sent to somebody. Pages that may not do that work all the same.
function remember(hash) {
  try {
    history.replaceState(null, '', hash ? '#' + hash : location.pathname + location.search);
  } catch (error) {
    void error;
  }
}

function clearSelection() {
  for (const element of document.querySelectorAll('.lit, .chosen')) element.classList.remove('lit', 'chosen');
  for (const test of document.querySelectorAll('details.test')) test.hidden = false;
  document.body.classList.remove('selecting', 'filtering');
  byId('covering').hidden = true;
  byId('selected').hidden = true;
}

function say(text) {
  byId('selected').firstElementChild.textContent = text;
  byId('selected').hidden = false;
}

// Lights what a test covers.
function selectTest(number) {
  const test = page.tests[number];
  if (!test) return;
  clearSelection();
  document.body.classList.add('selecting');
  const rows = test.rows.concat(page.initialisation[0]);
  rows.forEach((row) => rowElement(row).classList.add('lit'));
  byId('T' + number).classList.add('chosen');
  say(test.name + ' covers ' + test.reach);
  if (test.rows.length) bringIntoView(reveal(test.rows[0]));
  remember('test=' + encodeURIComponent(test.name));
}

// A line of the box about a row: a branch and who takes it.
function branchNote(at) {
  const takers = page.tests.filter((test) => test.branches.includes(at)).length;
  const atStart = page.initialisation[1].includes(at);
  const target = page.branches[at][1];
  const who = takers ? plural(takers, 'test') : atStart ? 'class initialisation' : 'not taken';
  return make('li', { class: takers || atStart ? 'full' : 'miss' }, (target ? '→ ' + target : 'branch') + ': ' + who);
}

// Lists the tests that cover a row.
function selectRow(row) {
  const element = reveal(row);
  if (!element) return;
  clearSelection();
  element.classList.add('chosen');
  bringIntoView(element);
  remember('line=' + row);
  if (!element.querySelector('button.g')) return;
  document.body.classList.add('filtering');
  let count = 0;
  page.tests.forEach((test, number) => {
    const covers = test.rows.includes(row);
    byId('T' + number).hidden = !covers;
    count += covers;
  });
  for (const test of document.querySelectorAll('.test.dropped')) test.hidden = true;
  const name = (page.source ? 'Line ' : 'Offset ') + element.querySelector('.g').textContent;
  const atStart = page.initialisation[0].includes(row) ? ', and the initialisation of the class' : '';
  const box = byId('covering');
  box.replaceChildren(make('p', {}, make('b', {}, name), ': ' + (count ? plural(count, 'test') : 'no test') + atStart));
  const branches = page.branches.map((branch, at) => at).filter((at) => page.branches[at][0] === row);
  if (branches.length) box.append(make('ul', { class: 'branches' }, ...branches.map(branchNote)));
  const all = make('button', { type: 'button' }, 'Show all tests');
  all.addEventListener('click', () => { clearSelection(); remember(''); });
  box.append(all);
  box.hidden = false;
}
