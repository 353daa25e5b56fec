/**
 * The address under which the asker reaches this grid. A proxy that terminates TLS says it in
 * X-Forwarded-Proto and X-Forwarded-Host.
 */
export function originOf(headers: Headers): string {
  const host = headers.get('x-forwarded-host') ?? headers.get('host') ?? 'localhost';
  const url = `${headers.get('x-forwarded-proto') ?? 'http'}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : 'http://localhost';
}
