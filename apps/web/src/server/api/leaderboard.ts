import {
  bestQuerySchema,
  bestVariantSchema,
  groupedQuerySchema,
  heatMapCsv,
  heatMapSchema,
  leaderboardCsv,
  leaderboardQuerySchema,
  leaderboardSchema,
  portabilityCsv,
  portabilityQuerySchema,
  portabilitySchema,
} from '@tilemark/core';
import { z } from 'zod';
import { FILE_FORMS, FILES, fileName, fileOf } from '@/features/best/files';
import { questionFields, workbenchQuerySchema } from '@/features/best/query';
import { gpusOf, tableOf } from '@/features/best/workbench';
import { problemOfZod } from '../problem';
import { csvFile, download } from './download';
import { formatQuery, found, noun, ok, operation, TABLE_TYPES } from './operation';

/** What the ranked results say. */
export const leaderboard = noun();

operation(
  leaderboard,
  {
    id: 'getLeaderboard',
    method: 'get',
    path: '/leaderboard',
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
    id: 'getHeatMap',
    method: 'get',
    path: '/leaderboard/heat-map',
    summary: 'The best of each kernel on each device, on one problem. `groups=gpu,software`.',
    access: 'read',
    caching: 'revalidate',
    query: groupedQuerySchema.extend(formatQuery),
    answer: { ...ok(heatMapSchema), types: TABLE_TYPES },
  },
  async ({ query: { format, ...query }, services: { store } }) => {
    const answer = await store.heatMap(query);
    return format === 'csv' ? csvFile(heatMapCsv(answer), 'tilemark-heat-map.csv') : answer;
  },
);

operation(
  leaderboard,
  {
    id: 'getPortability',
    method: 'get',
    path: '/leaderboard/portability',
    summary:
      'The geometric mean of each variant’s part of the best over devices, and what each device loses if one variant ships everywhere (`ship`, an address).',
    access: 'read',
    caching: 'revalidate',
    query: portabilityQuerySchema.extend(formatQuery),
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
      'The variant to run for a problem (`m`, `n`, `k` or `rows`, `cols`) on a GPU, with its WGSL. Decided by ranked results of the device or by what ships for such devices, whichever is faster; else by results of its architecture, its vendor, or other GPUs, on this problem or the nearest; or by a prediction from what was timed. `portable`: nothing is known, and it is a choice for plain WebGPU.',
    access: 'read',
    caching: 'revalidate',
    query: bestQuerySchema,
    refusals: { 404: 'No ranked result can decide.' },
    answer: ok(bestVariantSchema),
  },
  async ({ query, services: { store } }) =>
    found(
      await store.best(query),
      `No ranked result of ${query.op} ${query.dtype} with profile ${query.profile} can decide what to run: there is none, or none of a variant that fits the limits of the device at this size. Run the command \`tune\` on that GPU, or attach it to this grid.`,
    ),
);

operation(
  leaderboard,
  {
    id: 'getBestTable',
    method: 'get',
    path: '/best/table',
    summary:
      'The variants to run for `shapes` (`1x4096x4096 4096`) or a `suite` on each `gpu` (device keys or `vendor/architecture`, by commas): JSON, CSV, a module with the WGSL, or tables in the terms of ggml or ONNX Runtime.',
    access: 'read',
    query: questionFields.extend({ format: z.enum(FILE_FORMS).default('json') }),
    answer: {
      ...ok(z.unknown()),
      types: FILE_FORMS.map((form) => FILES[form][1]),
    },
  },
  async ({ query: { format, ...asked }, services: { store } }) => {
    const { data: question, error } = workbenchQuerySchema.safeParse(asked);
    if (error) throw problemOfZod(error, asked);
    const rows = await tableOf(store, question, await gpusOf(store));
    return download(fileOf(format, rows, question), FILES[format][1], fileName(question, format));
  },
);
