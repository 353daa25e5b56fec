import type { Client } from 'pg';
import { METHODOLOGY_VERSION } from '../../packages/core/src/measure/outcome';
import {
  capabilities,
  environment,
  measured,
  spec,
} from '../../packages/core/src/server/store/fixtures.test-helper';
import {
  type SyntheticCase,
  type SyntheticDevice,
  syntheticCases,
  syntheticDevices,
} from './catalogue';

/** Runs of the one large sweep, and of each of the others. */
const LARGE_SWEEP = 5_000;
const SMALL_SWEEP = 250;
const SAMPLES = 30;
/** Devices whose results are written by one statement. */
const DEVICES_PER_STATEMENT = 10;

export interface Size {
  readonly devices: number;
  readonly results: number;
}

/**
 * Writes a synthetic grid into a migrated, empty database: devices, sweeps, runs,
 * results and the tables of bests that follow from them, by statements over whole sets
 * of rows. Throws for a database in which anything was measured.
 */
export async function fill(
  client: Client,
  { devices: count, results }: Size,
  onProgress: (written: number) => void,
): Promise<void> {
  if (!(await isEmpty(client))) {
    throw new Error(
      'This database contains devices or results. Synthetic results can only be written to an empty one: choose another database, or another folder with --data.',
    );
  }
  const devices = syntheticDevices(count);
  const perSweep = Math.floor(results / count);
  await client.query('BEGIN');
  // A million rows can be rewritten in a minute, so this database need not survive a power cut.
  await client.query('SET LOCAL synchronous_commit = off');
  await client.query('SELECT setseed(0.5)');
  // Rows derived from rows just written need no foreign-key checks; superusers may turn them off.
  await client.query(
    `SELECT set_config('session_replication_role', 'replica', true) WHERE current_setting('is_superuser') = 'on'`,
  );
  await insertDevices(client, devices);
  await insertCases(client, syntheticCases());
  await insertSweeps(client, devices.length, perSweep);
  for (let first = 1; first <= devices.length; first += DEVICES_PER_STATEMENT) {
    const last = Math.min(first + DEVICES_PER_STATEMENT - 1, devices.length);
    await client.query(RUNS, [first, last, perSweep]);
    await client.query(RESULTS, [first, last, JSON.stringify(measured(1))]);
    onProgress(last * perSweep);
  }
  await client.query('ANALYZE');
  await client.query(VARIANT_BESTS);
  await client.query(BESTS);
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE');
}

/** Whether nothing was ever measured or attached in this database. */
async function isEmpty(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ empty: boolean }>(
    'SELECT NOT EXISTS (SELECT FROM "Device") AND NOT EXISTS (SELECT FROM "Run") AS empty',
  );
  return rows[0]?.empty ?? false;
}

/** Whether all results in this database are synthetic; false if it is empty. */
export async function isSynthetic(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ synthetic: boolean | null }>(
    `SELECT bool_and("vendor" LIKE 'synthetic-%') AS synthetic FROM "Device"`,
  );
  return rows[0]?.synthetic ?? false;
}

async function insertDevices(client: Client, devices: readonly SyntheticDevice[]): Promise<void> {
  const rows = devices.map(({ key, identity, pace }, index) => ({
    ...identity,
    n: index + 1,
    key,
    pace,
    environment: { ...environment(key), device: identity, driver: 'synthetic 1.0' },
  }));
  await client.query(
    `CREATE TEMP TABLE synthetic_device ON COMMIT DROP AS
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS d (n int, key text, pace float8, vendor text,
       architecture text, device text, backend text, runtime text, class text, environment jsonb)`,
    [JSON.stringify(rows)],
  );
  await client.query(
    `INSERT INTO "Device" ("key", "hardware", "engine", "vendor", "architecture", "name", "backend", "runtime", "class", "capabilities")
     SELECT key, regexp_replace(key, '-[^-]+-[^-]+$', ''), CASE class WHEN 'cpu' THEN NULL ELSE 'tint' END, vendor, architecture, device, backend, runtime, class::"DeviceClass", $1::jsonb
     FROM synthetic_device`,
    [JSON.stringify(capabilities)],
  );
  await client.query(
    `INSERT INTO "Worker" ("id", "name", "host", "version", "deviceKey", "detachedAt")
     SELECT 'synthetic-worker-' || n || '-' || machine, 'synthetic ' || n, 'synthetic-host-' || n || '-' || machine,
       '0.1.0', key, now()
     FROM synthetic_device, generate_series(1, 1 + n % 3) AS machine`,
  );
  await client.query(
    `INSERT INTO "Environment" ("hash", "content")
     SELECT 'synthetic-environment-' || n, environment FROM synthetic_device`,
  );
}

async function insertCases(client: Client, cases: readonly SyntheticCase[]): Promise<void> {
  await client.query(
    `CREATE TEMP TABLE synthetic_case ON COMMIT DROP AS
     SELECT row_number() OVER (PARTITION BY "runsOn") - 1 AS place, count(*) OVER (PARTITION BY "runsOn") AS cases, c.*
     FROM jsonb_to_recordset($1::jsonb) AS c ("runsOn" text, kernel text, address text, tunables jsonb, op text,
       dtype text, shape text, profile "Profile", ns float8, "roofNs" float8)`,
    [JSON.stringify(cases)],
  );
}

/** The first device's results form one large sweep, those of each other device several small ones. */
async function insertSweeps(client: Client, devices: number, perSweep: number): Promise<void> {
  await client.query(
    `INSERT INTO "Sweep" ("id", "name", "spec", "deviceKeys", "createdBy", "createdAt")
     SELECT DISTINCT ON (d.n, part) 'synthetic-sweep-' || d.n || '-' || part, 'Synthetic sweep ' || d.n || '.' || part,
       $3::jsonb, ARRAY[d.key], 'seed', now() - make_interval(hours => d.n)
     FROM synthetic_device AS d, generate_series(0, $2::int - 1) AS i,
       LATERAL (SELECT i / CASE WHEN d.n = 1 THEN ${LARGE_SWEEP} ELSE ${SMALL_SWEEP} END AS part)
     WHERE d.n <= $1`,
    [devices, perSweep, JSON.stringify(spec)],
  );
}

const RUNS = `
  INSERT INTO "Run" ("id", "sweepId", "ordinal", "deviceKey", "kernel", "tunables", "address", "op", "shape", "dtype",
    "profile", "policy", "state", "workerId", "attempts", "endedAt")
  SELECT 'synthetic-run-' || d.n || '-' || i, 'synthetic-sweep-' || d.n || '-' || i / size, i % size, d.key, c.kernel,
    c.tunables, c.address, c.op, c.shape, c.dtype, c.profile, 'default',
    (CASE WHEN i % 100 = 17 THEN 'failed' WHEN i % 100 = 51 THEN 'incorrect' WHEN i % 50 = 33 THEN 'skipped'
      ELSE 'measured' END)::"RunState",
    'synthetic-worker-' || d.n || '-' || 1 + i % (1 + d.n % 3), 1, now() - make_interval(mins => 5 * i)
  FROM synthetic_device AS d
  CROSS JOIN generate_series(0, $3::int - 1) AS i
  CROSS JOIN LATERAL (SELECT CASE WHEN d.n = 1 THEN ${LARGE_SWEEP} ELSE ${SMALL_SWEEP} END AS size)
  JOIN synthetic_case AS c
    ON c."runsOn" = CASE d.class WHEN 'cpu' THEN 'cpu' ELSE 'gpu' END AND c.place = i % c.cases
  WHERE d.n BETWEEN $1 AND $2`;

/** A variant is up to 30% faster or slower per device; results of one variant vary by tenths of a percent. */
const RESULTS = `
  WITH timed AS (
    SELECT r.*, d.n AS device, c."roofNs" * d.pace * 0.9 AS roof, d.class = 'cpu' OR r.op = 'transpose' AS bandwidth,
      c.ns * d.pace * (1 + abs(hashtext(c.address || d.key)) % 1000 / 1666.0) * (1 + random() / 200) AS median
    FROM "Run" AS r
    JOIN synthetic_device AS d ON d.key = r."deviceKey"
    JOIN synthetic_case AS c ON (c.address, c.op, c.dtype, c.shape, c.profile) = (r.address, r.op, r.dtype, r.shape, r.profile)
    WHERE d.n BETWEEN $1 AND $2
  )
  INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "outcome", "medianNs", "lowNs", "highNs",
    "coldSamplesNs", "hotSamplesNs", "unranked", "standing", "endedAt")
  SELECT replace(id, 'run', 'result'), id, "workerId", 'synthetic-environment-' || device,
    CASE state
      WHEN 'measured' THEN jsonb_set($3::jsonb, '{measurement}', $3::jsonb->'measurement' || jsonb_build_object(
        'hot', NULL,
        'roof', jsonb_build_object('ns', roof, 'bound', CASE WHEN bandwidth THEN 'bandwidth' ELSE 'compute' END),
        'unranked', noisy,
        'cold', jsonb_build_object('n', ${SAMPLES}, 'medianNs', median, 'lowNs', median * 0.997, 'highNs', median * 1.003,
          'minNs', median * 0.99, 'q1Ns', median * 0.995, 'q3Ns', median * 1.005, 'cv', 0.006, 'samplesNs', '[]'::jsonb)))
      WHEN 'skipped' THEN '{"kind":"skipped","why":"synthetic: the device allows fewer invocations per workgroup"}'
      WHEN 'incorrect' THEN '{"kind":"incorrect","when":"before","worst":{"row":3,"col":17,"got":0.5,"want":0.25,"bound":0.001}}'
      ELSE '{"kind":"failed","stage":"compile","message":"synthetic: the shader did not compile"}'
    END,
    CASE state WHEN 'measured' THEN median END, CASE state WHEN 'measured' THEN median * 0.997 END,
    CASE state WHEN 'measured' THEN median * 1.003 END,
    CASE state WHEN 'measured'
      THEN ARRAY(SELECT median * (0.99 + 0.02 * s / ${SAMPLES}) FROM generate_series(0, ${SAMPLES} - 1) AS s)
      ELSE '{}' END,
    '{}', CASE state WHEN 'measured' THEN noisy END, CASE state WHEN 'measured' THEN (noisy IS NOT NULL)::int END, "endedAt"
  FROM timed
  CROSS JOIN LATERAL (SELECT CASE WHEN ordinal % 60 = 7 THEN 'noisy: the samples vary by 4.2% (over 3.5%)' END AS noisy)`;

const VARIANT_BESTS = `
  INSERT INTO "VariantBest" ("deviceKey", "op", "dtype", "shape", "profile", "methodology", "address",
    "kernel", "resultId", "medianNs", "lowNs", "highNs", "invocations", "standing", "unranked")
  SELECT DISTINCT ON (r."deviceKey", r."op", r."dtype", r."shape", r."profile", r."address")
    r."deviceKey", r."op", r."dtype", r."shape", r."profile", ${METHODOLOGY_VERSION}, r."address", r."kernel",
    x."id", x."medianNs", x."lowNs", x."highNs", 1, x."standing", x."unranked"
  FROM "Result" AS x JOIN "Run" AS r ON r."id" = x."runId"
  WHERE x."medianNs" IS NOT NULL AND r."kernel" <> 'transpose/copy'
  ORDER BY r."deviceKey", r."op", r."dtype", r."shape", r."profile", r."address", x."unranked" IS NOT NULL, x."medianNs"`;

const BESTS = `
  UPDATE "VariantBest" AS variant SET "isBest" = true
  FROM (
    SELECT DISTINCT ON ("deviceKey", "op", "dtype", "shape", "profile") "resultId"
    FROM "VariantBest"
    ORDER BY "deviceKey", "op", "dtype", "shape", "profile", "unranked" IS NOT NULL, "medianNs"
  ) AS first WHERE variant."resultId" = first."resultId"`;
