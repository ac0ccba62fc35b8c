// Looks for barriers in two frames, one with light and one with dark colours.
addEventListener('load', () => {
  const found = [];
  let seen = 0;
  const parts = colour => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, below) => {
    const mix = (x, y) => x * top.a + y * (1 - top.a);
    return { r: mix(top.r, below.r), g: mix(top.g, below.g), b: mix(top.b, below.b), a: 1 };
  };
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map(it => it / 255).map(it => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const look = (name, frame) => {
    const inner = frame.contentDocument;
    const style = element => frame.contentWindow.getComputedStyle(element);
    const background = element => {
      if (!element) return { r: 255, g: 255, b: 255, a: 1 };
      const own = parts(style(element).backgroundColor);
      return own.a === 1 ? own : over(own, background(element.parentElement));
    };
    const texts = inner.createTreeWalker(inner.body, NodeFilter.SHOW_TEXT);
    const pale = new Set();
    while (texts.nextNode()) {
      const [text, element] = [texts.currentNode.data.trim(), texts.currentNode.parentElement];
      // The shapes behind the text of a drawing are no backgrounds.
      if (!text || ['SCRIPT', 'STYLE'].includes(element.tagName) || element.closest('svg') || !element.checkVisibility()) continue;
      seen += 1;
      const of = style(element);
      const behind = background(element);
      const [x, y] = [over(parts(of.color), behind), behind].map(luminance).sort((a, b) => b - a);
      const ratio = (x + 0.05) / (y + 0.05);
      const size = parseFloat(of.fontSize);
      const least = size >= 24 || (size >= 18.66 && Number(of.fontWeight) >= 700) ? 3 : 4.5;
      if (ratio < least) pale.add(`${name}: ${ratio.toFixed(1)} of ${least}: ${text.slice(0, 40)}`);
    }
    found.push(...pale);
    const reachable = 'a[href], button, summary, input, select, label, [tabindex]';
    for (const element of inner.querySelectorAll('*')) {
      if (style(element).cursor !== 'pointer' || !element.checkVisibility() || element.closest('svg')) continue;
      if (!element.closest(reachable)) found.push(`${name}: no key reaches: ${element.textContent.trim().slice(0, 40)}`);
    }
  };
  for (const name of ['light', 'dark']) look(name, document.getElementById(name));
  document.getElementById('barriers').textContent = [seen, ...found].join('\n') + '\n';
  document.body.className = 'live';
});
