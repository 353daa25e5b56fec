import NextLink from 'next/link';
import type { ComponentProps } from 'react';

/** A link within the site. Pages are rendered for who asks: fetched ahead, one would cost as much as read. */
export const Link = (props: Omit<ComponentProps<typeof NextLink>, 'prefetch'>) => (
  <NextLink {...props} prefetch={false} />
);
