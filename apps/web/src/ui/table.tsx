import type { ReactNode } from 'react';

/**
 * A table on its own surface. On narrow screens the surface scrolls, by touch
 * or by keyboard, and the page does not.
 */
export function TablePanel({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <section
      aria-label={caption}
      // Reachable by keyboard, so that it can be scrolled without a pointer.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
      tabIndex={0}
      // Positioned, so that what is placed inside cannot widen the page.
      className="scroll-hint relative overflow-x-auto rounded-tile border border-line"
    >
      <table className="data-table">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
  );
}
