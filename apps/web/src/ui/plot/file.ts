const FONT = 'Geist, system-ui, sans-serif';
const LEGEND_LINE = 18;
const SLIDE_SCALE = 1.5;
const TITLE = { 'text-anchor': 'start', 'font-size': '1.2em', 'font-weight': 600 };
/** Above the chart: its title. */
const HEAD = 30;

/**
 * A chart as a standalone document in the colours of the reader's scheme: title, drawing, legend, and
 * where and when it was saved. It is drawn at one and a half times its size, to be read on a slide.
 *
 * @param legend its items on the page, each a drawing and its text
 */
export function standaloneSvg(
  chart: SVGSVGElement,
  { title, source }: { readonly title: string; readonly source: string },
  legend: readonly HTMLElement[],
): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const { width, height } = chart.viewBox.baseVal;
  const total = height + (legend.length + 1) * LEGEND_LINE;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `0 ${-HEAD} ${width} ${total + HEAD}`);
  copy.setAttribute('width', String(width * SLIDE_SCALE));
  copy.setAttribute('height', String((total + HEAD) * SLIDE_SCALE));
  for (const link of copy.querySelectorAll('a')) link.replaceWith(...link.childNodes);
  copy.prepend(
    element('title', {}, title),
    element('rect', { y: -HEAD, width, height: total + HEAD, fill: 'var(--surface)' }),
    element('text', { x: 8, y: 14 - HEAD, fill: 'var(--ink)', ...TITLE }, title),
  );
  copy.append(
    element(
      'text',
      { x: 8, y: total - 6, fill: 'var(--muted)', 'text-anchor': 'start' },
      `${source}, ${new Date().toISOString().slice(0, 10)}`,
    ),
  );
  legend.forEach((item, index) => {
    const y = height + index * LEGEND_LINE;
    const sample = item.querySelector('svg')?.cloneNode(true) as SVGSVGElement;
    sample.setAttribute('x', '8');
    sample.setAttribute('y', String(y + 3));
    const words = { x: 30, y: y + 12, fill: 'var(--ink)', 'text-anchor': 'start' };
    copy.append(sample, element('text', words, item.textContent));
  });
  return withoutVariables(new XMLSerializer().serializeToString(copy));
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text: string | null = null,
): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** Replaces the page's variables by the colours that they have now, and fonts by name. */
function withoutVariables(svg: string): string {
  const probe = document.createElement('span');
  document.body.append(probe);
  try {
    return svg.replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => {
      if (name.startsWith('--font')) return FONT;
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    });
  } finally {
    probe.remove();
  }
}

/** Hands a file to the reader. */
export function download(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // By then the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
