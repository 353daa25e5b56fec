-- CreateEnum
CREATE TYPE "WantedState" AS ENUM ('working', 'drained', 'paused');

-- AlterEnum
ALTER TYPE "WorkerState" ADD VALUE 'paused';

-- AlterTable
ALTER TABLE "Run" ADD COLUMN     "claimedAt" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "Worker" ADD COLUMN     "wanted" "WantedState" NOT NULL DEFAULT 'working';

-- CreateTable
CREATE TABLE "Audit" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "actorRole" "Role" NOT NULL,
    "actorId" TEXT NOT NULL,
    "subject" TEXT,

    CONSTRAINT "Audit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "RateLimit" (
    "key" TEXT NOT NULL,
    "points" INTEGER NOT NULL,
    "expire" TIMESTAMPTZ(3),

    CONSTRAINT "RateLimit_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "Audit_actorId_id_idx" ON "Audit"("actorId", "id");

-- CreateIndex
CREATE INDEX "RateLimit_expire_idx" ON "RateLimit"("expire");

-- CreateIndex
CREATE INDEX "Result_workerId_recordedAt_idx" ON "Result"("workerId", "recordedAt");

-- CreateIndex
CREATE INDEX "Run_deviceKey_address_shape_idx" ON "Run"("deviceKey", "address", "shape");

-- The audit list is only added to, by whoever connects. Migrations are split at semicolons,
-- in quotes too, so those of the body are written \073.
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN RAISE insufficient_privilege USING MESSAGE = TG_ARGV[0]\073 END\073';
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "Audit"
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only('Rows of the audit list are neither changed nor deleted.');
