import {
  BEST_FILES,
  BEST_FORMS,
  bestFile,
  bestFileName,
  bestVariantSchema,
  groupedQuerySchema,
  leaderboardCsv,
  leaderboardQuerySchema,
  leaderboardSchema,
  portabilityCsv,
  portabilitySchema,
  questionFields,
  questionSchema,
} from '@tilemark/core';
import { z } from 'zod';
import { ROW_MS, tableCost } from '../best/cost';
import { HttpProblem } from '../problem';
import { COSTS } from '../session/reads';
import { checked } from './body';
import { csvFile, download } from './download';
import { formatQuery, noun, ok, operation, orNotFound, TABLE_TYPES } from './operation';

/** Views of the ranked results. */
export const leaderboard = noun();

operation(
  leaderboard,
  {
    id: 'getLeaderboard',
    method: 'get',
    path: '/leaderboard',
    cost: COSTS.board,
    summary: 'The best verified result of each device on one problem, ranked.',
    access: 'read',
    caching: 'revalidate',
    query: leaderboardQuerySchema.extend(formatQuery),
    answer: { ...ok(leaderboardSchema), types: TABLE_TYPES },
  },
  async ({ query: { format, ...query }, services: { store } }) => {
    const answer = await store.leaderboard(query);
    return format === 'csv' ? csvFile(leaderboardCsv(answer), 'tilemark-leaderboard.csv') : answer;
  },
);

operation(
  leaderboard,
  {
    id: 'getPortability',
    method: 'get',
    path: '/leaderboard/portability',
    cost: COSTS.board,
    summary: 'The geometric mean of each variant’s part of the best over devices, and the worst.',
    access: 'read',
    caching: 'revalidate',
    query: groupedQuerySchema.extend(formatQuery),
    answer: { ...ok(portabilitySchema), types: TABLE_TYPES },
  },
  async ({ query: { format, ...query }, services: { store } }) => {
    const answer = await store.portability(query);
    return format === 'csv' ? csvFile(portabilityCsv(answer), 'tilemark-portability.csv') : answer;
  },
);

operation(
  leaderboard,
  {
    id: 'getBest',
    method: 'get',
    path: '/best',
    summary:
      'The variant to run for a problem (`m`, `n`, `k` or `rows`, `cols`) on a GPU (`gpu`, or `vendor` and `architecture`), with its WGSL: of all that is known of the GPU or of those like it, the least expected time. `portable`: nothing is known, and it is a choice for plain WebGPU.',
    access: 'read',
    caching: 'revalidate',
    cost: ROW_MS,
    query: questionFields,
    refusals: { 404: 'Nothing that is known can run there.' },
    answer: ok(bestVariantSchema),
  },
  async ({ c, query, services: { store } }) => {
    const question = checked(questionSchema, query);
    if (question.shapes.length !== 1 || question.gpus.length > 1) {
      const [field, what] = question.gpus.length > 1 ? ['gpu', 'GPU'] : ['shapes', 'shape'];
      throw new HttpProblem(400, `Name one ${what}; /api/v1/best/table takes several.`, field);
    }
    const [row] = await store.best(question, c.req.raw.signal);
    const reasons = row?.excluded.map(({ reason }) => reason).join('; ');
    return orNotFound(
      row?.best ?? null,
      `Nothing that is known can run there${reasons ? `: ${reasons}` : ''}. Run the command \`tune\` on that GPU, or attach it to this grid.`,
    );
  },
);

operation(
  leaderboard,
  {
    id: 'getBestTable',
    method: 'get',
    path: '/best/table',
    summary:
      'The variants to run for `shapes` (`1x4096x4096 4096`) or a `suite` on each `gpu` (device keys or `vendor/architecture`, by commas), each as `/best` answers: JSON without the programs, CSV, a JavaScript module, or tables in the terms of ggml or ONNX Runtime.',
    access: 'read',
    cost: tableCost,
    query: questionFields.extend({ format: z.enum(BEST_FORMS).default('json') }),
    answer: {
      ...ok(z.unknown()),
      types: BEST_FORMS.map((form) => BEST_FILES[form][1]),
    },
  },
  async ({ c, query: { format, ...asked }, services: { store } }) => {
    const question = checked(questionSchema, asked);
    const rows = await store.best(question, c.req.raw.signal);
    return download(
      bestFile(format, rows, question),
      BEST_FILES[format][1],
      bestFileName(question, format),
    );
  },
);
