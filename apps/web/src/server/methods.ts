import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a site is asked with; neither Next nor the API can make a request of TRACE and the like. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Answers 405 to a request of another method, and says whether it did. */
export function refuseMethod(request: IncomingMessage, response: ServerResponse): boolean {
  if (METHODS.includes(request.method ?? '')) return false;
  request.resume();
  response.writeHead(405, {
    Allow: METHODS.join(', '),
    'Content-Type': 'application/problem+json',
    'X-Content-Type-Options': 'nosniff',
  });
  const detail = `Nothing here takes ${request.method}.`;
  response.end(
    JSON.stringify({ type: 'about:blank', title: 'Method not allowed', status: 405, detail }),
  );
  return true;
}
