-- AlterTable
ALTER TABLE "Worker" ADD COLUMN     "instance" TEXT,
ADD COLUMN     "revokedAt" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "Enrolment" (
    "workerId" TEXT NOT NULL,
    "tokenId" TEXT NOT NULL,
    "login" TEXT NOT NULL,
    "redisPasswordHash" TEXT NOT NULL,
    "grantedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Enrolment_pkey" PRIMARY KEY ("workerId")
);

-- CreateIndex
CREATE UNIQUE INDEX "Enrolment_login_key" ON "Enrolment"("login");

-- CreateIndex
CREATE INDEX "Enrolment_tokenId_idx" ON "Enrolment"("tokenId");

-- CreateIndex
CREATE UNIQUE INDEX "Worker_instance_key" ON "Worker"("instance");

-- AddForeignKey
ALTER TABLE "Enrolment" ADD CONSTRAINT "Enrolment_workerId_fkey" FOREIGN KEY ("workerId") REFERENCES "Worker"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Enrolment" ADD CONSTRAINT "Enrolment_tokenId_fkey" FOREIGN KEY ("tokenId") REFERENCES "Token"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What an enrolled worker may see and change. Each has a role of its own, a member of
-- `tilemark_worker`, which store/worker-role.ts grants tables and columns, and the policies here
-- pick the rows. The grid owns the tables and passes every policy.

-- Whose session this is. The role is looked up, not parsed: a role without enrolment is nobody.
-- SECURITY DEFINER, because workers cannot read "Enrolment", and session_user, because inside of
-- such a function current_user is its owner.
CREATE FUNCTION own_worker_id() RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT "workerId" FROM "Enrolment" WHERE "login" = session_user $$;

CREATE FUNCTION own_device_key() RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT "deviceKey" FROM "Worker" WHERE "id" = own_worker_id() $$;

-- Called as `(SELECT ...)` in the policies: once a statement, not once a row.

ALTER TABLE "Device" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_device ON "Device" USING ("key" = (SELECT own_device_key()));

-- The workers of a device see each other: a run may be taken over from one that was lost.
ALTER TABLE "Worker" ENABLE ROW LEVEL SECURITY;
CREATE POLICY same_device ON "Worker" FOR SELECT USING ("deviceKey" = (SELECT own_device_key()));
CREATE POLICY own_row ON "Worker" FOR UPDATE USING ("id" = (SELECT own_worker_id()));

ALTER TABLE "Sweep" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_device ON "Sweep" FOR SELECT
  USING ((SELECT own_device_key()) = ANY ("deviceKeys"));

ALTER TABLE "Run" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_device ON "Run" FOR SELECT USING ("deviceKey" = (SELECT own_device_key()));
-- It claims what waits and what a lost worker held (silent for 20 s, LOST_AFTER_MS), ends what
-- it holds or gives it back. What has ended is out of its reach.
CREATE POLICY claim_and_end ON "Run" FOR UPDATE
  USING (
    "deviceKey" = (SELECT own_device_key())
    AND ("state" = 'pending' OR ("state" = 'running' AND (
      "workerId" = (SELECT own_worker_id())
      OR EXISTS (
        SELECT FROM "Worker" AS holder
        WHERE holder."id" = "Run"."workerId"
          AND (holder."detachedAt" IS NOT NULL
            OR holder."lastHeartbeatAt" < now() - interval '20 seconds'))))))
  WITH CHECK (
    "deviceKey" = (SELECT own_device_key())
    AND ("workerId" = (SELECT own_worker_id()) OR ("workerId" IS NULL AND "state" = 'pending')));
-- A run of a cancelled sweep is deleted when its worker gives it back.
CREATE POLICY drop_cancelled ON "Run" FOR DELETE
  USING (
    "workerId" = (SELECT own_worker_id()) AND "state" = 'running'
    AND EXISTS (
      SELECT FROM "Sweep" WHERE "id" = "Run"."sweepId" AND "cancelledAt" IS NOT NULL));

-- A result is for a run that the worker holds, or held when it was lost and nobody took since.
ALTER TABLE "Result" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_device ON "Result" FOR SELECT
  USING (EXISTS (
    SELECT FROM "Run"
    WHERE "Run"."id" = "Result"."runId" AND "deviceKey" = (SELECT own_device_key())));
CREATE POLICY of_held_run ON "Result" FOR INSERT
  WITH CHECK (
    "workerId" = (SELECT own_worker_id()) AND "importedBy" IS NULL
    AND EXISTS (
      SELECT FROM "Run"
      WHERE "Run"."id" = "Result"."runId" AND "Run"."workerId" = "Result"."workerId"
        AND "state" IN ('pending', 'running')));

-- A row of the board names a result of the device.
ALTER TABLE "Best" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_device ON "Best"
  USING ("deviceKey" = (SELECT own_device_key()))
  WITH CHECK (
    "deviceKey" = (SELECT own_device_key())
    AND EXISTS (
      SELECT FROM "Result"
      WHERE "Result"."id" = "resultId" AND "Result"."medianNs" = "Best"."medianNs"));
ALTER TABLE "VariantBest" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_device ON "VariantBest"
  USING ("deviceKey" = (SELECT own_device_key()))
  WITH CHECK (
    "deviceKey" = (SELECT own_device_key())
    AND EXISTS (
      SELECT FROM "Result"
      WHERE "Result"."id" = "resultId" AND "Result"."medianNs" = "VariantBest"."medianNs"));

ALTER TABLE "Roofline" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_device ON "Roofline" FOR SELECT
  USING ("deviceKey" = (SELECT own_device_key()));
CREATE POLICY own_row ON "Roofline" FOR INSERT
  WITH CHECK (
    "deviceKey" = (SELECT own_device_key()) AND "workerId" = (SELECT own_worker_id()));

-- Shared by content, so the hash has to be that of the content: nobody can put another text
-- under a hash that a result of somebody else will name.
ALTER TABLE "Environment" ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_content ON "Environment" FOR INSERT
  WITH CHECK (
    (SELECT own_worker_id()) IS NOT NULL
    AND "hash" = encode(sha256(convert_to("content"::text, 'UTF8')), 'hex'));
ALTER TABLE "KernelSource" ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_content ON "KernelSource" FOR INSERT
  WITH CHECK (
    (SELECT own_worker_id()) IS NOT NULL
    AND "hash" = encode(sha256(convert_to("wgsl", 'UTF8')), 'hex'));
