import { html } from 'hono/html';
import { MARK_TILES, PLACES } from '@/ui/site';

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly reasons: readonly string[];
  /** What a person can make of it. */
  readonly advice: string;
}

/**
 * The page for an address that cannot be answered. A document of its own, sent by the
 * proxy: pages always answer 200 where the proxy can answer 400.
 */
export const badRequestPage = (reasons: readonly string[]): Response =>
  refusalPage({
    status: 400,
    title: "We couldn't understand this address",
    reasons,
    advice: 'It may have been cut off, mistyped, or written for another release.',
  });

/** What others see in place of Bull Board. */
export const adminsOnlyPage = (): Response =>
  refusalPage({
    status: 403,
    title: 'This page is for admins',
    reasons: ['You are logged in with a token of another role.'],
    advice: 'Log out, and in again with an admin token.',
  });

const refusalPage = (refusal: Refusal): Response =>
  new Response(String(pageOf(refusal)), {
    status: refusal.status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      'X-Content-Type-Options': 'nosniff',
    },
  });

const MOST_REASONS = 8;

const pageOf = ({ status, title, reasons, advice }: Refusal) => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Tilemark</title>
<style>
  :root { color-scheme: light dark; --line: light-dark(#dbe0e0, #262d31); --line-strong: light-dark(#b3bcbd, #3d474c); --muted: light-dark(#566164, #98a4a8); --accent: light-dark(#00696b, #4ccbc0); }
  body { margin: 0; font: 0.875rem/1.5 Geist, system-ui, sans-serif; background: light-dark(#f7f8f8, #0e1113); color: light-dark(#12181a, #e6ebec); overflow-wrap: anywhere; }
  header { border-bottom: 1px solid var(--line); }
  header div { margin: 0 auto; max-width: 72rem; padding: 0.625rem 1.5rem; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; align-items: center; }
  header a { color: var(--muted); font-size: 0.8125rem; line-height: 1.5rem; text-decoration: none; }
  header div > a { display: inline-flex; gap: 0.5rem; align-items: center; color: inherit; font-size: 0.875rem; font-weight: 600; }
  header a:hover { color: inherit; text-decoration: underline; }
  main { margin: 0 auto; max-width: 42rem; padding: 4rem 1.5rem; }
  code { font-size: 0.75rem; color: var(--muted); }
  h1 { margin: 0.25rem 0 1rem; font-size: 1.375rem; line-height: 1.75rem; letter-spacing: -0.012em; }
  ul { margin: 0 0 1rem; padding: 0.5rem 0.75rem 0.5rem 1.75rem; border-left: 2px solid light-dark(#8a5300, #e8b04f); background: light-dark(#f7ead1, #35290f); border-radius: 3px; }
  p { color: var(--muted); }
</style>
<header><div>
<a href="/"><svg width="18" height="18" viewBox="0 0 20 20" aria-hidden="true">${MARK_TILES.map(({ x, y, isLit }) => html`<rect x="${x}" y="${y}" width="6" height="6" rx="1" fill="var(${isLit ? '--accent' : '--line-strong'})"/>`)}</svg>Tilemark</a>
<nav aria-label="Main" style="display:contents">${PLACES.map(([href, name]) => html`<a href="${href}">${name}</a>\n`)}</nav>
</div></header>
<main>
<code>${status}</code>
<h1>${title}</h1>
<ul>
${reasons.slice(0, MOST_REASONS).map((reason) => html`<li>${reason}</li>\n`)}
</ul>
<p>${advice}</p>
</main>
</html>
`;
