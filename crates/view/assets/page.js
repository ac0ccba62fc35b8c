// Every page: what the address names is opened, and the page says that its scripts have run.
{
  const open = () => {
    const at = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (let it = at; it; it = it.parentElement) if (it.tagName === 'DETAILS') it.open = true;
    if (at) at.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
  document.body.className = ('live ' + document.body.className).trim();
}
