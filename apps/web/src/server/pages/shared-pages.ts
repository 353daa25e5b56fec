import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import inject, { type Response as Injected, type InjectOptions } from 'light-my-request';
import type { Cost } from '../session/reads';
import type { Turns } from '../turns';

/** How long a rendered page answers readers who are not logged in. */
const KEPT_MS = 1_000;
/** Pages kept at once; the oldest goes first. */
const MOST_PAGES = 200;
/** What a page depends on beside its address: where links point, how Next wants it, how it is packed. */
const VARYING =
  /^(host|x-forwarded-(host|proto)|accept|accept-encoding|rsc|next-.*|user-agent|purpose)$/;
/** What is not a page: answers of the API, files, and what a visitor does to a session. */
const NOT_A_PAGE = /^\/(api\/|(_next|metrics|login|logout)(\/|$))|\.\w+$/;

/**
 * Lets readers without a session share one rendering of a page: rendering is most of an answer's
 * cost, and the leaderboard is the same for all of them. A page is at most a second old. It keeps
 * the nonce of its content security policy: what is injected through an address is another page.
 *
 * @param turns of these readers
 * @returns its `isRefused` has answered the reader where it says so; it is told what the answer costs,
 *   or that there are more readers than can be served
 */
export function sharedPages(handle: RequestListener, turns: Turns) {
  const pages = new Map<string, Promise<Injected>>();
  const render: RequestListener = async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      response.destroy(error as Error);
    }
  };
  const inTurn = async (options: InjectOptions) => {
    const end = await turns.next();
    return inject(render, options).finally(end);
  };
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    cost: Cost,
    isRefused: (cost: Cost | 'none left') => Promise<boolean> = async () => false,
  ): Promise<void> => {
    const { headers, method, url = '/' } = request;
    const path = url.split('?', 1)[0] ?? '';
    if (method !== 'GET' || NOT_A_PAGE.test(path)) {
      if (await isRefused(turns.isFull() ? 'none left' : cost)) return;
      if (await turns.during(response)) await handle(request, response);
      return;
    }
    const asked = Object.fromEntries(
      Object.entries(headers).filter(([name]) => VARYING.test(name)),
    );
    const key = JSON.stringify([url, asked]);
    const isBusy = !pages.has(key) && turns.isFull();
    if (await isRefused(pages.has(key) ? 'kept' : isBusy ? 'none left' : cost)) return;
    let page = pages.get(key);
    if (!page) {
      page = inTurn({ method, url, headers: asked });
      pages.set(key, page);
      const forget = () => pages.get(key) === page && pages.delete(key);
      // Those who asked meanwhile hear of an outage; the next reader asks again.
      page.then(
        ({ statusCode }) => (statusCode < 500 ? setTimeout(forget, KEPT_MS).unref() : forget()),
        forget,
      );
      const [oldest] = pages.keys();
      if (pages.size > MOST_PAGES && oldest !== undefined) pages.delete(oldest);
    }
    const { headers: answered, rawPayload, statusCode } = await page;
    response.writeHead(statusCode, answered);
    response.end(rawPayload);
  };
}
