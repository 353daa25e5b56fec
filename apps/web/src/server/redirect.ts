/**
 * A redirect to a page of this site. The address stays relative, since only
 * the reader knows under which name the site was reached.
 */
export function seeOther(path: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: path, 'Cache-Control': 'no-store', ...headers },
  });
}

/** Whether the reader came over https, here or at a proxy before us. */
export const isSecure = (request: Request): boolean =>
  (request.headers.get('x-forwarded-proto') ?? new URL(request.url).protocol).startsWith('https');
