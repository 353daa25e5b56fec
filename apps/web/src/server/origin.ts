/**
 * The address under which the asker reaches this grid. A proxy that terminates TLS says it in
 * X-Forwarded-Proto and X-Forwarded-Host; of several proxies the first speaks with the asker.
 */
export function originOf(headers: Headers): string {
  const told = (name: string) => headers.get(name)?.split(',')[0]?.trim();
  const host = told('x-forwarded-host') ?? headers.get('host') ?? 'localhost';
  const url = `${told('x-forwarded-proto') ?? 'http'}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : 'http://localhost';
}
