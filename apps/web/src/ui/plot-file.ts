/** One entry of a legend: beside the drawing on the page, inside it in a file. */
export interface LegendItem {
  readonly text: string;
  /** Any CSS colour. */
  readonly color: string;
}

const FONT = 'Geist, system-ui, sans-serif';
const LEGEND_LINE = 18;
/** Roughly, for the legend's font; rather too wide. */
const CHARACTER_WIDTH = 7;
const PNG_SCALE = 2;

/**
 * A chart as a standalone document: light colours on white, variables replaced by their values,
 * the legend drawn in.
 */
export function standaloneSvg(
  chart: SVGSVGElement,
  title: string,
  legend: readonly LegendItem[],
): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const { width, height } = chart.viewBox.baseVal;
  const lines = legendLines(legend, width);
  const total = height + lines.length * LEGEND_LINE;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `0 0 ${width} ${total}`);
  copy.setAttribute('height', String(total));
  copy.removeAttribute('aria-hidden');
  copy.prepend(
    element('title', {}, title),
    element('rect', { width, height: total, fill: '#fff' }),
  );
  lines.forEach((line, index) => {
    for (const { item, x } of line) {
      const y = height + index * LEGEND_LINE + 8;
      copy.append(
        element('line', { x1: x, x2: x + 16, y1: y, y2: y, stroke: item.color, 'stroke-width': 2 }),
        element('text', { x: x + 22, y: y + 4, fill: 'var(--ink)' }, item.text),
      );
    }
  });
  return withoutVariables(new XMLSerializer().serializeToString(copy));
}

/** Legend items with their positions, in lines that fit the width. */
function legendLines(legend: readonly LegendItem[], width: number) {
  const lines: { item: LegendItem; x: number }[][] = [];
  let x = Number.POSITIVE_INFINITY;
  for (const item of legend) {
    const needed = 38 + item.text.length * CHARACTER_WIDTH;
    if (x + needed > width) {
      lines.push([]);
      x = 8;
    }
    lines.at(-1)?.push({ item, x });
    x += needed;
  }
  return lines;
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text = '',
): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** Replaces the page's variables: colours from the light scheme, fonts by name. */
function withoutVariables(svg: string): string {
  const probe = document.createElement('span');
  probe.style.colorScheme = 'light';
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

/** A standalone SVG as a PNG at twice its size. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * PNG_SCALE;
  canvas.height = image.naturalHeight * PNG_SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The chart is too large for a PNG.'))),
      'image/png',
    );
  });
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
