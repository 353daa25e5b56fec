import { Readable } from 'node:stream';

/** A file to save; text from a generator is sent while it is made, so that its size never sits in memory. */
export function download(
  text: string | AsyncGenerator<string>,
  type: string,
  name: string,
): Response {
  const body =
    typeof text === 'string'
      ? text
      : (Readable.toWeb(Readable.from(text, { objectMode: false })) as ReadableStream);
  return new Response(body, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    },
  });
}

export const csvFile = (text: string, name: string): Response => download(text, 'text/csv', name);

/** How much of an id tells files of one name and day apart. */
const ID_TAIL = 6;

/** `tilemark-tile-sizes-of-matmul-2026-11-27-3f9a01`, without its ending. */
export function fileName(what: string, date: string, id: string): string {
  const words = what
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  const parts = ['tilemark', words, date.slice(0, 10), id.slice(-ID_TAIL)];
  return parts.join('-').replaceAll(/-+/g, '-');
}
