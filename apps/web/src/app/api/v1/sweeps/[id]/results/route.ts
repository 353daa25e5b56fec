import { CSV_HEADER, csvLine, type RunResult } from '@tilemark/core';

import { download } from '@/server/download';
import { operations } from '@/server/operations';
import { allItems } from '@/server/pages';
import { found, serve } from '@/server/serve';

export const GET = serve(
  operations.getSweepResults,
  async ({ params: { id = '' }, query: { all, cursor, format }, services: { store } }) => {
    const sweep = found(await store.sweeps.get(id), `There is no sweep ${id}.`);
    const results = () => allItems((from) => store.sweeps.results(id, from));
    const name = `tilemark-sweep-${sweep.id}`;
    if (format === 'csv') return download(csvText(results()), 'text/csv', `${name}.csv`);
    if (all) return download(jsonText(results()), 'application/json', `${name}.json`);
    return store.sweeps.results(id, cursor);
  },
);

async function* csvText(results: AsyncIterable<RunResult>): AsyncGenerator<string> {
  yield CSV_HEADER;
  for await (const result of results) yield csvLine(result);
}

/** A list with a single page, as the API writes lists. */
async function* jsonText(results: AsyncIterable<RunResult>): AsyncGenerator<string> {
  let separator = '';
  yield '{"items":[';
  for await (const result of results) {
    yield `${separator}\n${JSON.stringify(result)}`;
    separator = ',';
  }
  yield '\n],"nextCursor":null}\n';
}
