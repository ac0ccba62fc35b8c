// Draws the page as it is laid out: boxes with a background or a border, and words. The result replaces the page.
addEventListener('load', () => setTimeout(() => {
  const [width, height] = [1400, HEIGHT];
  const parts = [];
  const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const round = number => Math.round(number * 10) / 10;
  const isSeen = colour => colour && colour !== 'transparent' && !/, 0\)$/.test(colour);
  // What a scrolling ancestor shows.
  let clip = [0, 0, width, height];
  const box = (x, y, w, h, style) => {
    const [left, top] = [Math.max(x, clip[0]), Math.max(y, clip[1])];
    const [right, bottom] = [Math.min(x + w, clip[2]), Math.min(y + h, clip[3])];
    if (right > left && bottom > top) {
      parts.push(`<rect x="${round(left)}" y="${round(top)}" width="${round(right - left)}" height="${round(bottom - top)}" ${style}/>`);
    }
  };
  const drawBox = element => {
    const style = getComputedStyle(element);
    const r = element.getBoundingClientRect();
    if (style.visibility === 'hidden') return;
    if (isSeen(style.backgroundColor)) {
      const radius = parseFloat(style.borderTopLeftRadius) || 0;
      box(r.x, r.y, r.width, r.height, `rx="${radius}" fill="${style.backgroundColor}"`);
    }
    if (element.tagName === 'PROGRESS') {
      const full = getComputedStyle(document.documentElement).getPropertyValue('--full').trim();
      box(r.x, r.y, r.width * element.value / element.max, r.height, `rx="2" fill="${full}"`);
    }
    const edges = { Top: [r.x, r.y, r.width, 0], Bottom: [r.x, r.bottom, r.width, 0], Left: [r.x, r.y, 0, r.height], Right: [r.right, r.y, 0, r.height] };
    for (const [edge, [x, y, w, h]] of Object.entries(edges)) {
      const size = parseFloat(style[`border${edge}Width`]);
      if (size > 0 && isSeen(style[`border${edge}Color`]) && style[`border${edge}Style`] !== 'none') {
        const [dx, dy] = [edge === 'Right' ? -size : 0, edge === 'Bottom' ? -size : 0];
        box(x + dx, y + dy, w || size, h || size, `fill="${style[`border${edge}Color`]}"`);
      }
    }
  };
  const drawText = node => {
    const style = getComputedStyle(node.parentElement);
    if (style.visibility === 'hidden') return;
    const range = document.createRange();
    const runs = [];
    for (const word of node.data.matchAll(/\S+/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const r = range.getBoundingClientRect();
      if (r.width === 0) continue;
      runs.push([r.x, r.bottom - r.height * 0.24, r.width, word[0]]);
    }
    const family = /mono|courier|consol/i.test(style.fontFamily) ? 'monospace' : 'sans-serif';
    for (const [x, y, w, text] of runs) {
      if (y > clip[3] || x + w > clip[2] + 1 || x < clip[0]) continue;
      parts.push(`<text x="${round(x)}" y="${round(y)}" textLength="${round(w)}" lengthAdjust="spacingAndGlyphs" font-family="${family}" font-size="${parseFloat(style.fontSize)}" font-weight="${style.fontWeight}" fill="${style.color}">${escape(text)}</text>`);
    }
  };
  const draw = node => {
    if (node.nodeType === Node.TEXT_NODE) return drawText(node);
    if (node.nodeType !== Node.ELEMENT_NODE || ['SCRIPT', 'STYLE'].includes(node.tagName)) return;
    if (node.getClientRects().length === 0 || !node.checkVisibility()) return;
    drawBox(node);
    const whole = clip;
    if (getComputedStyle(node).overflowX !== 'visible' && node !== document.body) {
      const r = node.getBoundingClientRect();
      clip = [Math.max(clip[0], r.left), Math.max(clip[1], r.top), Math.min(clip[2], r.right), Math.min(clip[3], r.bottom)];
    }
    node.childNodes.forEach(draw);
    clip = whole;
  };
  draw(document.body);
  const background = getComputedStyle(document.body).backgroundColor;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">\n<rect width="${width}" height="${height}" fill="${isSeen(background) ? background : 'white'}"/>\n${parts.join('\n')}\n</svg>\n`;
  document.head.innerHTML = '';
  document.body.innerHTML = '<pre id="picture"></pre>';
  document.getElementById('picture').textContent = svg;
  document.body.className = 'live';
}, 500));
