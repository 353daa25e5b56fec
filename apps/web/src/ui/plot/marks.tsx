'use client';

/** A pointer this near to a mark means it, px. */
const REACH = 24;
const TIP_WIDTH = 260;
/** Of two lines, px. */
const TIP_HEIGHT = 50;

/** A mark with a `title` channel, `name: value`, which leads somewhere if it has a `href` channel. */
export interface Mark {
  readonly element: Element & HTMLOrSVGElement;
  readonly text: string;
  readonly href: string | null;
}

/** Takes the marks out of a plot: their titles become names, and tooltips of our own. */
export function marksOf(svg: Element): Mark[] {
  // Plot names its groups, which have no role that could have a name.
  for (const part of svg.querySelectorAll('g[aria-label]')) {
    part.setAttribute('data-mark', part.getAttribute('aria-label') ?? '');
    part.removeAttribute('aria-label');
  }
  return [...svg.querySelectorAll('title')].flatMap((title) => {
    const shape = title.parentElement;
    if (!shape) return [];
    const text = title.textContent ?? '';
    title.remove();
    const link = shape.closest('a');
    const element = link ?? shape;
    if (!link) element.setAttribute('role', 'img');
    element.setAttribute('aria-label', text);
    element.setAttribute('tabindex', '-1');
    return [{ element, text, href: link?.getAttribute('xlink:href') ?? null }];
  });
}

/** The mark under the pointer, or the one whose middle is nearest to it. */
export function nearest(marks: readonly Mark[] | null, x: number, y: number): Mark | null {
  let [found, least]: [Mark | null, number] = [null, REACH];
  for (const mark of marks ?? []) {
    const box = mark.element.getBoundingClientRect();
    const inside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    const away = Math.hypot(x - box.left - box.width / 2, y - box.top - box.height / 2);
    if (inside && box.width * box.height < REACH ** 2 * 4) return mark;
    const distance = inside ? Math.min(away, REACH / 2) : away;
    if (distance < least) [found, least] = [mark, distance];
  }
  return found;
}

export function Tip({ mark: { element, href, text }, frame }: { mark: Mark; frame: HTMLElement }) {
  const box = element.getBoundingClientRect();
  const around = frame.getBoundingClientRect();
  const left = Math.min(
    Math.max(0, box.left + box.width / 2 - around.left - TIP_WIDTH / 2),
    Math.max(0, around.width - TIP_WIDTH),
  );
  // Above the mark it would cover the caption of the chart.
  const isAtTop = box.top - around.top < TIP_HEIGHT;
  const beside = isAtTop
    ? { top: box.bottom - around.top + 6 }
    : { bottom: around.bottom - box.top + 6 };
  return (
    <p
      aria-hidden="true"
      style={{ left, ...beside, maxWidth: TIP_WIDTH }}
      className="pointer-events-none absolute z-10 rounded-tile border border-line-strong bg-surface px-2 py-1 text-xs break-words"
    >
      {text}
      {href && <span className="text-muted"> Enter or click opens it.</span>}
    </p>
  );
}
