-- How long devices have worked for a token's contributed kernels, by the database's clock, whatever
-- becomes of the runs.

ALTER TABLE "Run" ADD COLUMN "usedSeconds" DOUBLE PRECISION NOT NULL DEFAULT 0;
CREATE INDEX "Sweep_createdById_idx" ON "Sweep"("createdById");

UPDATE "Run" AS run SET "usedSeconds" =
  least(greatest(extract(epoch FROM result."recordedAt" - run."claimedAt"), 0), 600)
FROM "Result" AS result
WHERE result."runId" = run."id" AND result."recordedAt" > now() - interval '1 day'
  AND run."claimedAt" IS NOT NULL AND strpos(concat(run."kernel", run."rival"->>'kernel'), '@') > 0;

-- No run takes longer than ten minutes: a result that comes later has waited in a journal.
CREATE FUNCTION count_device_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."usedSeconds" := OLD."usedSeconds"
    + least(extract(epoch FROM clock_timestamp() - OLD."claimedAt"), 600);
  RETURN NEW;
END $$;

CREATE TRIGGER "Run_device_time" BEFORE UPDATE ON "Run" FOR EACH ROW
WHEN (OLD."state" = 'running'
  AND strpos(concat(OLD."kernel", OLD."rival"->>'kernel'), '@') > 0
  AND (NEW."state" <> 'running' OR NEW."claimedAt" IS DISTINCT FROM OLD."claimedAt"))
EXECUTE FUNCTION count_device_time();
