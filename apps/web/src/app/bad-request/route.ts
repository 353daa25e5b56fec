/**
 * What proxy.ts shows for an address that cannot be read. A document of its own,
 * because pages always answer 200 where a route can answer 400.
 */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Bad request · Tilemark</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0 auto; max-width: 40rem; padding: 6rem 1.5rem; font: 0.875rem/1.5 system-ui, sans-serif; background: light-dark(#f7f8f8, #0e1113); color: light-dark(#12181a, #e6ebec); }
  h1 { margin: 0; font-size: 1.375rem; letter-spacing: -0.012em; }
  p { color: light-dark(#566164, #98a4a8); }
  a { color: light-dark(#00696b, #4ccbc0); }
</style>
<p><code>400</code></p>
<h1>This address cannot be read</h1>
<p>It holds characters that are not text. It was probably cut off or damaged on its way.</p>
<p><a href="/">Leaderboard</a> · <a href="/sweeps">Sweeps</a> · <a href="/kernels">Kernels</a></p>
</html>
`;

export const GET = () =>
  new Response(PAGE, {
    status: 400,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  });
