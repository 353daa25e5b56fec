-- A row of the board is the median of a variant's invocations, of one methodology. What there is was
-- measured by methodology 1 and stays the best of its runs.
ALTER TABLE "VariantBest"
    ADD COLUMN "methodology" INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN "lowNs" DOUBLE PRECISION,
    ADD COLUMN "highNs" DOUBLE PRECISION,
    ADD COLUMN "invocations" INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN "spread" DOUBLE PRECISION,
    ADD COLUMN "standing" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Best"
    ADD COLUMN "methodology" INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN "invocations" INTEGER NOT NULL DEFAULT 1;

UPDATE "VariantBest" AS best SET "lowNs" = coalesce(result."lowNs", best."medianNs"),
  "highNs" = coalesce(result."highNs", best."medianNs"),
  "standing" = CASE
    WHEN best."unranked" IS NULL THEN (result."confirmedBy" IS NULL)::int
    WHEN run."policy" IN ('smoke', 'screen') THEN 3
    ELSE 2 END
FROM "Result" AS result JOIN "Run" AS run ON run."id" = result."runId"
WHERE result."id" = best."resultId";

ALTER TABLE "VariantBest"
    ALTER COLUMN "methodology" DROP DEFAULT,
    ALTER COLUMN "lowNs" SET NOT NULL,
    ALTER COLUMN "highNs" SET NOT NULL,
    ALTER COLUMN "invocations" DROP DEFAULT,
    ALTER COLUMN "standing" DROP DEFAULT,
    DROP CONSTRAINT "VariantBest_pkey",
    ADD CONSTRAINT "VariantBest_pkey"
      PRIMARY KEY ("deviceKey", "op", "dtype", "shape", "profile", "methodology", "address");
ALTER TABLE "Best"
    ALTER COLUMN "methodology" DROP DEFAULT,
    ALTER COLUMN "invocations" DROP DEFAULT,
    DROP CONSTRAINT "Best_pkey",
    ADD CONSTRAINT "Best_pkey"
      PRIMARY KEY ("deviceKey", "op", "dtype", "shape", "profile", "methodology");

CREATE INDEX "VariantBest_deviceKey_invocations_idx" ON "VariantBest"("deviceKey", "invocations");
