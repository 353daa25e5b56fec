import type { ComponentProps } from 'react';
import { Link } from './link';

const base =
  'inline-flex h-8 items-center justify-center gap-1.5 rounded-tile px-3 text-[0.8125rem] font-medium whitespace-nowrap select-none disabled:cursor-not-allowed disabled:opacity-50';
const looks = {
  primary: 'bg-accent text-on-accent hover:brightness-110',
  plain: 'border border-line-strong bg-surface hover:bg-sunken',
  quiet: 'text-muted hover:bg-sunken hover:text-ink',
} as const;
type Look = keyof typeof looks;

export function Button({
  look = 'plain',
  className = '',
  type = 'button',
  ...rest
}: ComponentProps<'button'> & { look?: Look }) {
  return <button type={type} className={`${base} ${looks[look]} ${className}`} {...rest} />;
}

export function ButtonLink({
  look = 'plain',
  className = '',
  ...rest
}: ComponentProps<typeof Link> & { look?: Look }) {
  return <Link className={`${base} ${looks[look]} ${className}`} {...rest} />;
}

/** A link to something that is not a page: a download or an API answer. */
export function ButtonAnchor({
  look = 'plain',
  className = '',
  ...rest
}: ComponentProps<'a'> & { look?: Look }) {
  return <a className={`${base} ${looks[look]} ${className}`} {...rest} />;
}

export const linkStyle =
  'underline decoration-line-strong decoration-1 underline-offset-3 hover:decoration-accent hover:text-accent';

export function TextLink({ className = '', ...rest }: ComponentProps<typeof Link>) {
  return <Link className={`${linkStyle} ${className}`} {...rest} />;
}
