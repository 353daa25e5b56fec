const FONT = 'Geist, system-ui, sans-serif';
const LEGEND_LINE = 18;
const SLIDE_SCALE = 1.5;
const TITLE = { 'text-anchor': 'start', 'font-size': '1.2em', 'font-weight': 600 };
/** The usual width of a letter, of the font's size: a font that a reader lacks may be wider than ours. */
const LETTER = 0.58;
/** Above the chart: its title. */
const HEAD = 30;

/** Where a page is found again; a host that only its own machine knows is left out. */
export const permalink = ({ hostname, href, pathname, search }: URL | Location): string =>
  /^(localhost|127\.|\[::1\])/.test(hostname) ? `tilemark${pathname}${search}` : href;

/** A text in lines of about a width, px, broken at spaces, or before the `&` of an address, where there are any. */
export function linesOf(text: string, width: number, fontSize = 11): string[] {
  const most = Math.max(20, Math.floor(width / (LETTER * fontSize)));
  return text.match(new RegExp(`[^ ].{0,${most - 1}}(?=[ &]|$)|[^ ].{0,${most - 1}}`, 'g')) ?? [];
}

/**
 * A chart as a standalone document in the colours of the reader's scheme: title, drawing, legend, and
 * what is said of it. It is drawn at one and a half times its size, to be read on a slide.
 *
 * @param facts below the drawing, each on lines of its own
 * @param legend its items on the page, each a drawing and its text
 */
export function standaloneSvg(
  chart: SVGSVGElement,
  { facts, title }: { readonly title: string; readonly facts: readonly string[] },
  legend: readonly HTMLElement[],
): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const { width, height } = chart.viewBox.baseVal;
  const fontSize = Number.parseFloat(chart.style.fontSize);
  const heads = linesOf(title, width - 16, 1.2 * fontSize);
  const foot = facts.flatMap((fact) => linesOf(fact, width - 16, fontSize));
  const above = HEAD + (heads.length - 1) * LEGEND_LINE;
  const below = height + legend.length * LEGEND_LINE;
  const total = below + foot.length * LEGEND_LINE + 4;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `0 ${-above} ${width} ${total + above}`);
  copy.setAttribute('width', String(width * SLIDE_SCALE));
  copy.setAttribute('height', String((total + above) * SLIDE_SCALE));
  for (const link of copy.querySelectorAll('a')) link.replaceWith(...link.childNodes);
  copy.prepend(
    element('title', {}, title),
    element('rect', { y: -above, width, height: total + above, fill: 'var(--surface)' }),
    ...heads.map((line, at) =>
      element(
        'text',
        { x: 8, y: 14 - above + at * LEGEND_LINE, fill: 'var(--ink)', ...TITLE },
        line,
      ),
    ),
  );
  copy.append(
    ...foot.map((line, at) =>
      element(
        'text',
        { x: 8, y: below + 12 + at * LEGEND_LINE, fill: 'var(--muted)', 'text-anchor': 'start' },
        line,
      ),
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

/** The picture of a standalone document, at twice its size. */
export async function pngOf(svg: string): Promise<Blob | null> {
  const image = new Image();
  // Of a kind that the site's policy allows.
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
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
