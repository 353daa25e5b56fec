import type { ComponentProps } from 'react';

/** A box whose contents scroll in it, by the keyboard too. */
export function ScrollBox({ className = '', ...rest }: ComponentProps<'section'>) {
  return (
    <section
      {...rest}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
      tabIndex={0}
      className={`overflow-auto rounded-tile text-xs ${className}`}
    />
  );
}
