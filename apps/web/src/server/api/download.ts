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
