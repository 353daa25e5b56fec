import { createClient, type PrismaClient } from '@tilemark/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute, testDatabase } from '../../../services.test-helper';
import { measured, noise } from './fixtures.test-helper';
import { refuseTwins } from './imported-sweeps';

let url: string;
let db: PrismaClient;
beforeAll(async () => {
  url = await testDatabase();
  db = createClient(url);
});
afterAll(() => db.$disconnect());

/** As many as a file may have, all of one median: pairs of them would take minutes. */
const RESULTS = 20_000;

test('two of the same samples are found among results of one median', async () => {
  await execute(
    url,
    `INSERT INTO "Device" ("key", "vendor", "architecture", "name", "backend", "runtime", "class", "capabilities")
       VALUES ('d', 'v', 'a', 'n', 'b', 'r', 'gpu', '{}');
     INSERT INTO "Worker" ("id", "name", "host", "version", "deviceKey") VALUES ('w', 'n', 'h', '1', 'd');
     INSERT INTO "Sweep" ("id", "name", "spec", "deviceKeys", "createdBy") VALUES ('s', 'n', '{}', '{d}', 'me');
     INSERT INTO "Environment" ("hash", "content") VALUES ('e', '{}');
     INSERT INTO "Run" ("id", "sweepId", "ordinal", "deviceKey", "kernel", "tunables", "address", "op",
         "shape", "dtype", "profile", "policy", "state")
       SELECT 'run ' || i, 's', i, 'd', 'k', '{}', 'a' || i, 'matmul', '1', 'f32', 'default', 'default',
         'measured' FROM generate_series(0, ${RESULTS - 1}) AS i;
     INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "outcome", "medianNs",
         "coldSamplesNs", "hotSamplesNs", "endedAt", "importedBy")
       SELECT 'result ' || i, 'run ' || i, 'w', 'e', '{}', 1000,
         (SELECT array_agg(1000 + i / 1e3 + j) FROM generate_series(1, 100) AS j), '{}', now(), 'me'
       FROM generate_series(0, ${RESULTS - 1}) AS i`,
  );
  // Of noise, so that it is worth a look.
  const outcome = measured(1_000);
  if (outcome.kind !== 'measured') throw new TypeError('not measured');
  const { cold } = outcome.measurement;
  const distinctive = {
    ...outcome,
    measurement: {
      ...outcome.measurement,
      cold: { ...cold, samplesNs: noise(100).map((part) => 1_000 + part) },
    },
  };
  const kept = Array.from({ length: RESULTS }, (_, at) => ({
    resultId: `result ${at}`,
    outcome: distinctive,
  }));
  const refusal = () => refuseTwins(db, kept).catch((error: Error) => error.message);
  expect(await refusal()).toBeUndefined();
  const copy = (from: number, to: number) =>
    execute(
      url,
      `UPDATE "Result" SET "coldSamplesNs" = (
         SELECT "coldSamplesNs" FROM "Result" WHERE "id" = 'result ${from}') WHERE "id" = 'result ${to}'`,
    );
  await copy(7, 19_999);
  expect(await refusal()).toBe('Its samples are those of results[19999].');
  // The same work again is the same result again.
  await execute(url, `UPDATE "Run" SET "address" = 'a7' WHERE "id" = 'run 19999'`);
  expect(await refusal()).toBeUndefined();
});
