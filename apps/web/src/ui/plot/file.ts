import type { SYMBOLS } from './scales';

/** One entry of a legend: beside the drawing on the page, inside it in a file. */
export interface LegendItem {
  readonly text: string;
  /** Any CSS colour. */
  readonly color: string;
  readonly symbol?: (typeof SYMBOLS)[number];
  readonly isDashed?: boolean;
  /** Marks without a line between them. */
  readonly isLoose?: boolean;
}

/** Symbols as Plot draws them, around 0. */
export const GLYPHS: Readonly<Record<(typeof SYMBOLS)[number], string>> = {
  circle: 'M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,3,0Z',
  square: 'M-2.7,-2.7H2.7V2.7H-2.7Z',
  triangle: 'M0,-3.7L3.2,1.9H-3.2Z',
  diamond: 'M0,-4L2.3,0L0,4L-2.3,0Z',
  cross: 'M-3.2,-1.1H-1.1V-3.2H1.1V-1.1H3.2V1.1H1.1V3.2H-1.1V1.1H-3.2Z',
  star: 'M0,-4L0.9,-1.2H3.8L1.5,0.5L2.4,3.3L0,1.5L-2.4,3.3L-1.5,0.5L-3.8,-1.2H-0.9Z',
};

const FONT = 'Geist, system-ui, sans-serif';
const LEGEND_LINE = 18;
/** Roughly, for the legend's font; rather too wide. */
const CHARACTER_WIDTH = 7;
const SLIDE_SCALE = 1.5;
const TITLE = { 'text-anchor': 'start', 'font-size': 13, 'font-weight': 600 };
/** Above the chart: its title. */
const HEAD = 30;

/**
 * A chart as a standalone document in the colours of the reader's scheme: title, drawing, legend, and
 * where and when it was saved. It is drawn at one and a half times its size, to be read on a slide.
 */
export function standaloneSvg(
  chart: SVGSVGElement,
  { title, source }: { readonly title: string; readonly source: string },
  legend: readonly LegendItem[],
): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const { width, height } = chart.viewBox.baseVal;
  const lines = legendLines(legend, width);
  const total = height + (lines.length + 1) * LEGEND_LINE;
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
  lines.forEach((line, index) => {
    for (const { item, x } of line) {
      const y = height + index * LEGEND_LINE + 8;
      copy.append(
        ...(item.isLoose
          ? []
          : [
              element('path', {
                d: `M${x},${y}h16`,
                stroke: item.color,
                'stroke-width': 1.5,
                ...(item.isDashed && { 'stroke-dasharray': '3 2' }),
              }),
            ]),
        ...(item.symbol
          ? [
              element('path', {
                d: GLYPHS[item.symbol],
                transform: `translate(${x + 8},${y})`,
                stroke: item.color,
                fill: 'var(--surface)',
              }),
            ]
          : []),
        element(
          'text',
          { x: x + 22, y: y + 4, fill: 'var(--ink)', 'text-anchor': 'start' },
          item.text,
        ),
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
