-- Who stands behind a device, a roof and a result. `operator`: the grid's own account, and admins.

ALTER TABLE "Device" ADD COLUMN "ownedBy" TEXT;
ALTER TABLE "Result" ADD COLUMN "party" TEXT, ADD COLUMN "confirmedBy" TEXT;
ALTER TABLE "Run" ADD COLUMN "declinedBy" TEXT[] DEFAULT ARRAY[]::TEXT[];
CREATE INDEX "Result_medianNs_idx" ON "Result"("medianNs");

CREATE TABLE "Roof" (
    "deviceKey" TEXT NOT NULL,
    "profile" "Profile" NOT NULL,
    "content" JSONB NOT NULL,
    "party" TEXT NOT NULL,
    "workerId" TEXT,
    "measuredAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Roof_pkey" PRIMARY KEY ("deviceKey","profile")
);
ALTER TABLE "Roof" ADD CONSTRAINT "Roof_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "Roof" ADD CONSTRAINT "Roof_workerId_fkey" FOREIGN KEY ("workerId") REFERENCES "Worker"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Workers that a token let in, unless it is an admin's, speak for that token.
CREATE FUNCTION party_of_token(token_id text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT CASE WHEN token_id IS NULL
      OR EXISTS (SELECT FROM "Token" WHERE "id" = token_id AND "role" = 'admin')
    THEN 'operator' ELSE token_id END $$;

-- Files are their importer's: so far only the name is known, and the token that made the sweep.
UPDATE "Result" AS result SET "party" = CASE
    WHEN result."importedBy" IS NULL THEN party_of_token(worker."tokenId")
    WHEN sweep."createdById" IS NOT NULL THEN party_of_token(sweep."createdById")
  END
FROM "Worker" AS worker, "Run" AS run, "Sweep" AS sweep
WHERE worker."id" = result."workerId" AND run."id" = result."runId" AND sweep."id" = run."sweepId";
UPDATE "Result" SET "confirmedBy" = 'the operator' WHERE "party" = 'operator';

-- Devices are those of the operator where one of their workers attached, else of the first token.
UPDATE "Device" AS device SET "ownedBy" = (
  SELECT party_of_token(worker."tokenId") FROM "Worker" AS worker
  WHERE worker."deviceKey" = device."key" AND worker."name" NOT LIKE 'import by %'
  ORDER BY party_of_token(worker."tokenId") <> 'operator', worker."attachedAt" LIMIT 1);

-- The best of what the device's owner has surveyed, rate by rate.
WITH survey AS (
  SELECT roofline.*, party_of_token(worker."tokenId") AS "party"
  FROM "Roofline" AS roofline
  JOIN "Device" AS device ON device."key" = roofline."deviceKey"
  JOIN "Worker" AS worker ON worker."id" = roofline."workerId"
  WHERE party_of_token(worker."tokenId") = device."ownedBy"),
newest AS (
  SELECT DISTINCT ON ("deviceKey", "profile") * FROM survey
  ORDER BY "deviceKey", "profile", "id" DESC),
copies AS (
  SELECT "deviceKey", "profile",
    jsonb_agg(jsonb_build_object('bytes', "bytes", 'gigabytesPerSecond', "rate") ORDER BY "bytes")
      AS "list"
  FROM (
    SELECT "deviceKey", "profile", (copy->>'bytes')::bigint AS "bytes",
      max((copy->>'gigabytesPerSecond')::float8) AS "rate"
    FROM survey, jsonb_array_elements("content"->'copies') AS copy GROUP BY 1, 2, 3) AS each
  GROUP BY 1, 2),
peaks AS (
  SELECT "deviceKey", "profile",
    jsonb_agg(jsonb_build_object('dtype', "dtype", 'gigaflopsPerSecond', "rate") ORDER BY "dtype")
      AS "list"
  FROM (
    SELECT "deviceKey", "profile", peak->>'dtype' AS "dtype",
      max((peak->>'gigaflopsPerSecond')::float8) AS "rate"
    FROM survey, jsonb_array_elements("content"->'peaks') AS peak GROUP BY 1, 2, 3) AS each
  GROUP BY 1, 2)
INSERT INTO "Roof" ("deviceKey", "profile", "content", "party", "workerId", "measuredAt")
SELECT newest."deviceKey", newest."profile",
  jsonb_build_object('copies', coalesce(copies."list", '[]'), 'peaks', coalesce(peaks."list", '[]'),
    'lastLevelCacheBytes', newest."content"->'lastLevelCacheBytes'),
  newest."party", newest."workerId", newest."measuredAt"
FROM newest
LEFT JOIN copies ON copies."deviceKey" = newest."deviceKey" AND copies."profile" = newest."profile"
LEFT JOIN peaks ON peaks."deviceKey" = newest."deviceKey" AND peaks."profile" = newest."profile";

-- Rows of the board that a policy which never ranks took from one that does, or that nobody
-- confirms from one that somebody does: made again, by the preference of `moveBest`.
CREATE TABLE standing AS
SELECT run."deviceKey", run."op", run."dtype", run."shape", run."profile", run."address",
  run."kernel", result."id", result."medianNs", result."lowNs", result."highNs",
  result."unranked", result."endedAt",
  CASE
    WHEN result."unranked" IS NULL THEN (result."confirmedBy" IS NULL)::int
    WHEN run."policy" IN ('smoke', 'screen') THEN 3
    ELSE 2
  END AS "place"
FROM "Result" AS result JOIN "Run" AS run ON run."id" = result."runId"
WHERE result."medianNs" IS NOT NULL;

UPDATE "VariantBest" AS best SET "resultId" = better."id", "medianNs" = better."medianNs",
  "unranked" = better."unranked"
FROM (
  SELECT DISTINCT ON ("deviceKey", "op", "dtype", "shape", "profile", "address") * FROM standing
  ORDER BY "deviceKey", "op", "dtype", "shape", "profile", "address", "place", "medianNs") AS better
WHERE better."deviceKey" = best."deviceKey" AND better."op" = best."op"
  AND better."dtype" = best."dtype" AND better."shape" = best."shape"
  AND better."profile" = best."profile" AND better."address" = best."address"
  AND better."id" <> best."resultId";

UPDATE "Best" AS best SET "resultId" = better."id", "medianNs" = better."medianNs",
  "lowNs" = better."lowNs", "highNs" = better."highNs", "unranked" = better."unranked",
  "measuredAt" = better."endedAt"
FROM (
  SELECT DISTINCT ON ("deviceKey", "op", "dtype", "shape", "profile") * FROM standing
  WHERE "kernel" <> 'transpose/copy'
  ORDER BY "deviceKey", "op", "dtype", "shape", "profile", "place", "medianNs") AS better
WHERE better."deviceKey" = best."deviceKey" AND better."op" = best."op"
  AND better."dtype" = best."dtype" AND better."shape" = best."shape"
  AND better."profile" = best."profile" AND better."id" <> best."resultId";

UPDATE "Best" AS best SET "naiveResultId" = better."id", "naiveMedianNs" = better."medianNs",
  "naiveUnranked" = better."unranked"
FROM (
  SELECT DISTINCT ON ("deviceKey", "op", "dtype", "shape", "profile") * FROM standing
  WHERE "kernel" ~ '/(cpu-)?naive$'
  ORDER BY "deviceKey", "op", "dtype", "shape", "profile", "place", "medianNs") AS better
WHERE better."deviceKey" = best."deviceKey" AND better."op" = best."op"
  AND better."dtype" = best."dtype" AND better."shape" = best."shape"
  AND better."profile" = best."profile" AND better."id" <> best."naiveResultId";

DROP TABLE standing;

-- Devices that nobody has surveyed: the best of the roofs that the operator's results state.
WITH stated AS (
  SELECT run."deviceKey", run."profile",
    CASE run."dtype" WHEN 'f16acc16' THEN 'f16' ELSE run."dtype" END AS "dtype",
    result."outcome"->'measurement'->'roof'->>'bound' AS "bound",
    (result."outcome"->'measurement'->'roof'->>'ns')::float8 AS "ns",
    (result."outcome"->'measurement'->>'bufferSets')::float8 AS "sets",
    CASE WHEN run."dtype" LIKE 'f16%' THEN 2 ELSE 4 END * CASE run."op"
      WHEN 'matmul' THEN dims."a" * dims."c" + dims."c" * dims."b" + dims."a" * dims."b"
      ELSE 2 * dims."a" * dims."b" END AS "bytes",
    CASE run."op" WHEN 'matmul' THEN 2 * dims."a" * dims."b" * dims."c" ELSE 0 END AS "flops"
  FROM "Result" AS result
  JOIN "Run" AS run ON run."id" = result."runId"
  CROSS JOIN LATERAL (
    SELECT split_part(run."shape", 'x', 1)::float8 AS "a",
      coalesce(nullif(split_part(run."shape", 'x', 2), ''), run."shape")::float8 AS "b",
      CASE run."op" WHEN 'matmul'
        THEN coalesce(nullif(split_part(run."shape", 'x', 3), ''), run."shape")::float8 END AS "c"
  ) AS dims
  WHERE result."party" = 'operator' AND run."kernel" <> 'matmul/strassen'
    AND result."outcome"->'measurement'->'roof'->>'ns' IS NOT NULL
    AND NOT EXISTS (SELECT FROM "Roof" WHERE "Roof"."deviceKey" = run."deviceKey"
      AND "Roof"."profile" = run."profile")),
copies AS (
  SELECT "deviceKey", "profile",
    jsonb_agg(jsonb_build_object('bytes', "set", 'gigabytesPerSecond', "rate") ORDER BY "set")
      AS "list"
  FROM (
    SELECT "deviceKey", "profile", (2 ^ round(log(2, ("sets" * "bytes")::numeric)))::bigint AS "set",
      max("bytes" / "ns") AS "rate"
    FROM stated WHERE "bound" = 'bandwidth' GROUP BY 1, 2, 3) AS each
  GROUP BY 1, 2),
peaks AS (
  SELECT "deviceKey", "profile",
    jsonb_agg(jsonb_build_object('dtype', "dtype", 'gigaflopsPerSecond', "rate") ORDER BY "dtype")
      AS "list"
  FROM (
    SELECT "deviceKey", "profile", "dtype", max("flops" / "ns") AS "rate"
    FROM stated WHERE "bound" = 'compute' AND "flops" > 0 GROUP BY 1, 2, 3) AS each
  GROUP BY 1, 2)
INSERT INTO "Roof" ("deviceKey", "profile", "content", "party")
SELECT DISTINCT stated."deviceKey", stated."profile",
  jsonb_build_object('copies', coalesce(copies."list", '[]'), 'lastLevelCacheBytes', NULL,
    'peaks', coalesce(peaks."list", '[]')),
  'operator'
FROM stated
LEFT JOIN copies ON copies."deviceKey" = stated."deviceKey" AND copies."profile" = stated."profile"
LEFT JOIN peaks ON peaks."deviceKey" = stated."deviceKey" AND peaks."profile" = stated."profile";
