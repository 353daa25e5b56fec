'use client';

import { type ReactNode, useState } from 'react';
import { Button, ButtonLink } from './button';
import type { Fold } from './code';
import { formatCount } from './format';

/**
 * A box that shows the first lines of a long text, and a button below it that shows all. The box
 * grows by `group-data-open`.
 *
 * @param of what the text is, for readers who do not see where the button stands
 * @param most lines that the box shows at once; without more there is no button
 * @param fold instead of a button, a link to the page that has the other lines, or has them no more
 */
export function ShowAll({
  of,
  lines,
  most,
  fold,
  children,
}: {
  of: string;
  lines: number;
  most: number;
  fold: Fold | null;
  children: ReactNode;
}) {
  const [wantsAll, setWantsAll] = useState(false);
  const isOpen = fold?.isOpen ?? wantsAll;
  const all = `Show all ${formatCount(lines)} lines`;
  const control = {
    look: 'quiet',
    className: 'mt-1 -ml-3',
    'aria-label': isOpen ? `Show less of the ${of}` : `${all} of the ${of}`,
    children: isOpen ? 'Show less' : all,
  } as const;
  return (
    <div className="group" data-open={isOpen || undefined}>
      {children}
      {fold ? (
        <ButtonLink href={fold.href} scroll={false} {...control} />
      ) : (
        lines > most && (
          <Button aria-expanded={isOpen} onClick={() => setWantsAll(!isOpen)} {...control} />
        )
      )}
    </div>
  );
}
