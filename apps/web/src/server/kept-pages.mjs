/**
 * Whole pages for visitors without a session, kept while no result has come. A page of
 * 200 devices takes tens of milliseconds to render and is the same for all of them, so that it is
 * rendered once a result instead of once a reader (docs/operating.md).
 */

/** What changes without a result (workers, waiting runs, ages) is at most this old. */
const KEEP_MS = 5_000;
const MOST = 200;

/** @typedef {{ headers: import('node:http').OutgoingHttpHeaders, body: Buffer }} Page */
/** @typedef {{ page: Promise<Page | null>, atMs: number }} Kept */
/** @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>} Handler */

/**
 * @param {Handler} render answers every request
 * @param {() => Promise<number | null>} versionNow changes with every result; null while it is not known
 * @returns {Handler}
 */
export function keptPages(render, versionNow) {
  /** @type {Map<string, Kept>} */
  const pages = new Map();
  let version = -1;

  return async (request, response) => {
    const key = keyOf(request);
    const now = key === null ? null : await versionNow().catch(() => null);
    if (key === null || now === null) return render(request, response);
    if (now !== version) pages.clear();
    version = now;
    const kept = pages.get(key);
    if (kept && performance.now() - kept.atMs < KEEP_MS) {
      const page = await kept.page;
      if (!page) return render(request, response);
      response.writeHead(200, { ...page.headers, 'Content-Length': page.body.length });
      response.end(page.body);
      return;
    }
    pages.delete(key);
    pages.set(key, { page: recorded(response), atMs: performance.now() });
    const [oldest] = pages.keys();
    if (pages.size > MOST && oldest !== undefined) pages.delete(oldest);
    return render(request, response);
  };
}

const PAGES = /^\/(\?|$)|^\/(devices|kernels)(\/|\?|$)/;

/**
 * Everything of a request that its page depends on; null for what is not shared. A kept page
 * carries the nonce of its policy: its bytes were fixed with it, so nobody can add to them.
 *
 * @param {import('node:http').IncomingMessage} request
 */
export function keyOf({ headers, method, url = '' }) {
  const cookies = headers.cookie ?? '';
  const isShared =
    method === 'GET' &&
    PAGES.test(url) &&
    !cookies.includes('tilemark-session') &&
    !headers.authorization &&
    !headers.range &&
    // A navigation within the site, which asks for a part of a page.
    !headers.rsc &&
    !headers['next-router-prefetch'] &&
    !headers['next-action'];
  if (!isShared) return null;
  return JSON.stringify([url, headers.host, headers['accept-encoding'] ?? '', cookies]);
}

/**
 * The answer as it is rendered; null where it is not a page, or its reader left before the end.
 * It is taken at the pace of the renderer, which hears of no full buffer: the page is held whole
 * in any case, and a first reader who reads slowly, or not at all, keeps nobody waiting.
 *
 * @param {import('node:http').ServerResponse} response
 * @returns {Promise<Page | null>}
 */
function recorded(response) {
  /** @type {Buffer[]} */
  const chunks = [];
  /** @param {unknown} chunk @param {unknown} encoding */
  const keep = (chunk, encoding) => {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    else if (typeof chunk === 'string') {
      chunks.push(Buffer.from(chunk, /** @type {BufferEncoding} */ (encoding ?? 'utf8')));
    }
  };
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  response.write = (/** @type {[any, any]} */ ...args) => {
    keep(args[0], typeof args[1] === 'string' ? args[1] : undefined);
    write(...args);
    return true;
  };
  return new Promise((resolve) => {
    response.once('close', () => resolve(null));
    response.end = (/** @type {[any, any]} */ ...args) => {
      keep(args[0], typeof args[1] === 'string' ? args[1] : undefined);
      end(...args);
      const isPage =
        !response.destroyed &&
        response.statusCode === 200 &&
        String(response.getHeader('content-type')).startsWith('text/html');
      const { 'transfer-encoding': _, ...headers } = response.getHeaders();
      resolve(isPage ? { headers, body: Buffer.concat(chunks) } : null);
      return response;
    };
  });
}
