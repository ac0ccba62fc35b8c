'use strict';
// The list of classes: sorted by a column, filtered by name. Without this script it is in the order of the run.
(function () {
  const body = document.querySelector('.classes tbody');
  const rows = [...body.rows];
  const heads = [...document.querySelectorAll('.classes th')];

  function key(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
  }

  function sort(column) {
    const down = heads[column].getAttribute('aria-sort') === 'ascending';
    heads.forEach((head, at) => head.setAttribute('aria-sort', at !== column ? 'none' : down ? 'descending' : 'ascending'));
    const sign = down ? -1 : 1;
    const sorted = rows.slice().sort((a, b) => {
      const [x, y] = [key(a, column), key(b, column)];
      return x < y ? -sign : x > y ? sign : rows.indexOf(a) - rows.indexOf(b);
    });
    body.append(...sorted);
  }

  heads.forEach((head, column) => head.firstElementChild.addEventListener('click', () => sort(column)));
  const filter = document.getElementById('filter');
  filter.hidden = rows.length < 8;
  filter.addEventListener('input', () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
  });
})();
