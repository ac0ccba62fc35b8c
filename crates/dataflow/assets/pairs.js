'use strict';
// The pairs: filtered by text and verdict. An address that ends in #find=TEXT asks for a text.
{
  const rows = [...document.querySelectorAll('#pairs tbody tr')], find = document.getElementById('find');
  const boxes = [...document.querySelectorAll('#kinds input')], shown = document.getElementById('shown');
  const filter = () => {
    const text = find.value.toLowerCase(), kinds = boxes.filter((box) => box.checked).map((box) => box.value);
    let count = 0;
    for (const row of rows) {
      row.hidden = !kinds.includes(row.className) || !row.textContent.toLowerCase().includes(text);
      count += !row.hidden;
    }
    shown.textContent = count + ' shown';
  };
  const follow = () => {
    if (location.hash.startsWith('#find=')) find.value = decodeURIComponent(location.hash.slice(6));
    filter();
  };
  find.addEventListener('input', filter);
  find.form.addEventListener('submit', (event) => event.preventDefault());
  boxes.forEach((box) => box.addEventListener('change', filter));
  addEventListener('hashchange', follow);
  follow();
}
