import { ButtonLink } from './button';

/** The way on in a list that is longer than a page. */
export function NextPage({ cursor, path }: { cursor: string | null; path: string }) {
  if (!cursor) return null;
  return (
    <nav aria-label="Pages" className="mt-4">
      <ButtonLink href={`${path}?cursor=${encodeURIComponent(cursor)}`}>Next page</ButtonLink>
    </nav>
  );
}
