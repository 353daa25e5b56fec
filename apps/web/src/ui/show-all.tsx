'use client';

import { type ReactNode, useState } from 'react';
import { Button } from './button';
import { formatCount } from './format';

/**
 * A box that shows the first lines of a long text, and a button below it that shows all. The box
 * grows by `group-data-open`.
 *
 * @param of what the text is, for readers who do not see where the button stands
 * @param most lines that the box shows at once; without more there is no button
 */
export function ShowAll({
  of,
  lines,
  most,
  children,
}: {
  of: string;
  lines: number;
  most: number;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="group" data-open={isOpen || undefined}>
      {children}
      {lines > most && (
        <Button
          look="quiet"
          className="mt-1 -ml-3"
          aria-expanded={isOpen}
          aria-label={
            isOpen ? `Show less of the ${of}` : `Show all ${formatCount(lines)} lines of the ${of}`
          }
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : `Show all ${formatCount(lines)} lines`}
        </Button>
      )}
    </div>
  );
}
