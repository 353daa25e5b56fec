import { html, raw } from 'hono/html';
import { FOOTNOTE, MARK_TILES, PLACES, statusTiles, type Theme } from '@/ui/site';

declare global {
  /** Files of the build's fonts, below `/_next/`; absent outside `serve.mjs`. */
  var tilemarkFonts: readonly string[] | undefined;
}

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly reasons: readonly string[];
  /** What a person can do about it. */
  readonly advice: string;
  /** Where to go from here, the likeliest first. */
  readonly ways: readonly (readonly [href: string, name: string])[];
  readonly reader: Reader;
}

/** Of the request that is refused. */
export interface Reader {
  readonly theme: Theme;
  /** Whether the browser has a session, valid or not: only the database could tell. */
  readonly hasSession: boolean;
}

const LEADERBOARD = ['/', 'Leaderboard'] as const;

/**
 * The page for an address that cannot be answered. A document of its own, sent by the
 * proxy: pages always answer 200 where the proxy can answer 400. It looks as the others do.
 *
 * @param path of the page without what was refused; null if the page itself cannot be read
 */
export const badRequestPage = (
  reasons: readonly string[],
  { path, reader }: { path: string | null; reader: Reader },
): Response =>
  refusalPage({
    ...{ status: 400, title: 'This address cannot be shown', reasons, reader },
    advice:
      'It may have been cut off, mistyped, or written for another release. Correct it, or start over.',
    ways:
      path && path !== '/' ? [[path, 'This page without the rest'], LEADERBOARD] : [LEADERBOARD],
  });

const refusalPage = (refusal: Refusal): Response =>
  new Response(String(pageOf(refusal)), {
    status: refusal.status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'X-Content-Type-Options': 'nosniff',
    },
  });

const MOST_REASONS = 8;

/** The fonts of the other pages, under the names that the build gave them (`serve.mjs` reads them). */
const fontFaces = (): string =>
  (globalThis.tilemarkFonts ?? [])
    .map((path) => {
      const family = path.includes('Mono') ? 'Geist Mono' : 'Geist';
      return `@font-face { font-family: ${family}; font-weight: 100 900; src: url("/_next/${path}") format("woff2"); }`;
    })
    .join('\n');

/** The colours and sizes of globals.css and of the header, which this document cannot load. */
const STYLE = raw(`
  :root { scrollbar-gutter: stable; color-scheme: light dark; --line: light-dark(#dbe0e0, #262d31); --line-strong: light-dark(#b3bcbd, #3d474c); --sunken: light-dark(#eef1f1, #1a1f22); --surface: light-dark(#ffffff, #14181b); --ink: light-dark(#12181a, #e6ebec); --muted: light-dark(#566164, #98a4a8); --accent: light-dark(#00696b, #4ccbc0); }
  :root[data-theme=light] { color-scheme: light; }
  :root[data-theme=dark] { color-scheme: dark; }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100dvh; display: flex; flex-direction: column; font: 0.875rem/1.5 Geist, ui-sans-serif, system-ui, sans-serif; background: light-dark(#f7f8f8, #0e1113); color: var(--ink); overflow-wrap: anywhere; }
  a { color: inherit; }
  header { border-bottom: 1px solid var(--line); }
  header > div, footer > div { margin: 0 auto; max-width: 72rem; padding: 0 1rem; display: flex; flex-wrap: wrap; column-gap: 1.5rem; align-items: center; }
  .home { display: flex; height: 2.75rem; gap: 0.5rem; align-items: center; font-weight: 600; letter-spacing: -0.025em; text-decoration: none; }
  nav { display: flex; flex-wrap: wrap; column-gap: 1rem; }
  nav a { color: var(--muted); font-size: 0.8125rem; line-height: 2rem; text-decoration: none; }
  nav a:hover { color: inherit; }
  header nav { width: 100%; padding-bottom: 0.25rem; order: 1; }
  .account { margin: 0 0 0 auto; }
  .account :is(a, button) { padding: 0 0.5rem; border: 0; background: none; font: inherit; font-size: 0.8125rem; line-height: 2rem; color: var(--muted); text-decoration: none; cursor: pointer; }
  .account :is(a, button):hover { color: inherit; }
  main { flex: 1; margin: 0 auto; width: 100%; max-width: 44rem; padding: 4.75rem 1rem; display: grid; gap: 1.5rem 2.5rem; align-content: start; }
  code { font: 0.75rem 'Geist Mono', ui-monospace, monospace; color: var(--muted); }
  h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.75rem; letter-spacing: -0.012em; font-weight: 600; }
  ul { margin: 0 0 1rem; padding: 0.5rem 0.75rem 0.5rem 1.75rem; border-left: 2px solid light-dark(#8a5300, #e8b04f); background: light-dark(#f7ead1, #35290f); border-radius: 3px; }
  p { color: var(--muted); margin: 0 0 1rem; }
  .ways { display: flex; flex-wrap: wrap; gap: 0.5rem; }
  .ways a { padding: 0.3125rem 0.75rem; border: 1px solid var(--line-strong); border-radius: 3px; background: var(--surface); font-size: 0.8125rem; font-weight: 500; text-decoration: none; }
  footer { border-top: 1px solid var(--line); font-size: 0.75rem; }
  footer > div { padding: 1rem; justify-content: space-between; }
  footer p { margin: 0; }
  footer nav a { font-size: 0.75rem; line-height: 1.5; }
  @media (width >= 40rem) { header > div, footer > div { padding-inline: 1.5rem; } main { grid-template-columns: auto 1fr; padding: 6.75rem 1.5rem; } }
  @media (width >= 64rem) { header nav { order: 0; width: auto; padding: 0; column-gap: 1.25rem; } header nav a { line-height: 2.75rem; } }
`);

const pageOf = ({
  status,
  title,
  reasons,
  advice,
  ways,
  reader: { theme, hasSession },
}: Refusal) => html`<!doctype html>
<html lang="en"${theme === 'system' ? '' : raw(` data-theme="${theme}"`)}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Tilemark</title>
<style>${raw(fontFaces())}${STYLE}</style>
<header><div>
<a class="home" href="/"><svg width="18" height="18" viewBox="0 0 20 20" aria-hidden="true">${MARK_TILES.map(({ x, y, isLit }) => html`<rect x="${x}" y="${y}" width="6" height="6" rx="1" fill="var(${isLit ? '--accent' : '--line-strong'})"/>`)}</svg>Tilemark</a>
<nav aria-label="Main">${PLACES.map(([href, name]) => html`<a href="${href}">${name}</a>\n`)}</nav>
${hasSession ? raw('<form class="account" action="/logout" method="post"><button type="submit">Log out</button></form>') : raw('<p class="account"><a href="/login">Log in</a></p>')}
</div></header>
<main>
<svg width="88" height="88" viewBox="0 0 88 88" aria-hidden="true">${statusTiles(status).map(({ x, y, isMissing }) => html`<rect x="${x}" y="${y}" width="19" height="19" rx="2" fill="${isMissing ? 'none' : 'var(--sunken)'}" stroke="var(${isMissing ? '--accent' : '--line-strong'})" ${isMissing ? raw('stroke-dasharray="3 3"') : ''}/>`)}</svg>
<div>
<code>${status}</code>
<h1>${title}</h1>
<ul>
${reasons.slice(0, MOST_REASONS).map((reason) => html`<li>${reason}</li>\n`)}
</ul>
<p>${advice}</p>
<div class="ways">${ways.map(([href, name]) => html`<a href="${href}">${name}</a>\n`)}</div>
</div>
</main>
<footer><div>
<p>${FOOTNOTE}</p>
<nav aria-label="About"><a href="/docs">Docs</a>\n<a href="/api">API</a></nav>
</div></footer>
</html>
`;
