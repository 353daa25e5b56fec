import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { pageCost } from './best/cost';
import { HttpProblem } from './problem';
import { services } from './services';
import { identify, NOBODY } from './session/principal';
import { COSTS, type Cost, msOf, readerOf } from './session/reads';

/** A request that Next may answer. */
export interface PageEnv {
  readonly Bindings: Partial<HttpBindings> & {
    /** Next. */
    readonly page?: (request: IncomingMessage, response: ServerResponse) => unknown;
  };
}

/** What each page costs, by its folder in src/app. */
export const PAGES: Readonly<Record<string, Cost>> = {
  '/': COSTS.page,
  '/add': COSTS.page,
  '/best': pageCost,
  '/chart': COSTS.page,
  '/classes/[id]': COSTS.page,
  '/devices': COSTS.page,
  '/devices/[key]': COSTS.page,
  '/docs': COSTS.document,
  '/docs/[slug]': COSTS.page,
  '/join': COSTS.document,
  '/kernels': COSTS.page,
  '/kernels/new': COSTS.document,
  '/kernels/[...id]': COSTS.page,
  '/login': COSTS.page,
  '/operate': COSTS.page,
  '/operate/tokens': COSTS.page,
  '/results/[id]': COSTS.page,
  '/sweeps': COSTS.page,
  '/sweeps/new': COSTS.page,
  '/sweeps/[id]': COSTS.page,
};
/** What is no page, and Next's as well. */
const FILES: Readonly<Record<string, Cost>> = {
  '/_next/static/*': 0,
  '/icon.svg': 0,
  '/worker.tgz': COSTS.answer,
};

/** As Next finds them: for another spelling, it makes a page. */
const FREE = /^\/(_next\/static\/[\w./~-]+|icon\.svg)(\?|$)/;

export const pages = new Hono<PageEnv>();
for (const [folder, cost] of Object.entries({ ...PAGES, ...FILES })) {
  const path = folder.replace(/\[\.\.\.(\w+)\]/, ':$1{.+}').replace(/\[(\w+)\]/, ':$1');
  pages.get(path, (c) => answerPage(c, cost));
}

/** Has Next answer, once the reader may have it. What has a body never comes to Next, which would keep it first. */
export async function answerPage(c: Context<PageEnv>, cost: Cost = COSTS.page): Promise<Response> {
  const { env, req } = c;
  const { incoming, outgoing, page } = env ?? {};
  if (!incoming || !outgoing || !page) throw new HttpProblem(404, `There is no page ${req.path}.`);
  const ms = msOf(cost, req) || (FREE.test(incoming.url ?? '') ? 0 : COSTS.page);
  if (ms > 0) {
    const opened = await services();
    const { principal } = await identify(
      req.raw.headers,
      opened,
      readerOf(c, null, opened.settings).key,
    ).catch(() => NOBODY);
    await opened.reads.takeTurn(readerOf(c, principal, opened.settings), ms, outgoing);
  }
  if (!outgoing.destroyed) await page(incoming, outgoing);
  return RESPONSE_ALREADY_SENT;
}
