'use client';

import { Button } from './button';
import { useQuery } from './use-query';

const PAGE_SIZE = 25;

interface Paging {
  /** Its parameter in the address, where the first page is not named. */
  readonly name: string;
  /** From 0. */
  readonly index: number;
  readonly pages: number;
  readonly size: number;
}

/** Which page of a list of `count` rows the address asks for. */
export function pagingOf(
  query: Pick<URLSearchParams, 'get'>,
  name: string,
  count: number,
  size = PAGE_SIZE,
): Paging {
  const pages = Math.max(1, Math.ceil(count / size));
  const page = Math.min(pages, Math.max(1, Number(query.get(name)) || 1));
  return { name, index: page - 1, pages, size };
}

/** Steps through the pages of a list; nothing if it has one. */
export function Pager({ of, paging }: { of: string; paging: Paging }) {
  const { index, name, pages } = paging;
  const [, setQuery] = useQuery();
  if (pages === 1) return null;
  const go = (to: number) => setQuery({ [name]: to > 0 ? String(to + 1) : null });
  return (
    <nav aria-label={`Pages of ${of}`} className="mt-3 flex items-center gap-3">
      <Button disabled={index === 0} className="disabled:invisible" onClick={() => go(index - 1)}>
        Previous
      </Button>
      <span className="text-[0.8125rem] text-muted">
        Page {index + 1} of {pages}
      </span>
      <Button
        disabled={index + 1 === pages}
        className="disabled:invisible"
        onClick={() => go(index + 1)}
      >
        Next
      </Button>
    </nav>
  );
}
