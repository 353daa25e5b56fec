-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "DeviceClass" AS ENUM ('gpu', 'software', 'cpu', 'browser');

-- CreateEnum
CREATE TYPE "Profile" AS ENUM ('default', 'fast');

-- CreateEnum
CREATE TYPE "Role" AS ENUM ('member', 'admin', 'worker');

-- CreateEnum
CREATE TYPE "WorkerState" AS ENUM ('idle', 'running', 'draining', 'paused');

-- CreateEnum
CREATE TYPE "WantedState" AS ENUM ('working', 'drained', 'paused');

-- CreateEnum
CREATE TYPE "RunState" AS ENUM ('pending', 'running', 'measured', 'skipped', 'incorrect', 'failed');

-- CreateTable
CREATE TABLE "Device" (
    "key" TEXT NOT NULL,
    "hardware" TEXT NOT NULL,
    "vendor" TEXT NOT NULL,
    "architecture" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "backend" TEXT NOT NULL,
    "runtime" TEXT NOT NULL,
    "engine" TEXT,
    "class" "DeviceClass" NOT NULL,
    "capabilities" JSONB NOT NULL,
    "firstSeenAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lastSeenAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "describedBy" TEXT,

    CONSTRAINT "Device_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "Worker" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "deviceKey" TEXT NOT NULL,
    "state" "WorkerState" NOT NULL DEFAULT 'idle',
    "wanted" "WantedState" NOT NULL DEFAULT 'working',
    "attachedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lastHeartbeatAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "detachedAt" TIMESTAMPTZ(3),
    "instance" TEXT,
    "revokedAt" TIMESTAMPTZ(3),
    "tokenId" TEXT,
    "contributed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "Worker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Roofline" (
    "id" TEXT NOT NULL,
    "deviceKey" TEXT NOT NULL,
    "profile" "Profile" NOT NULL,
    "workerId" TEXT NOT NULL,
    "tokenId" TEXT,
    "resultId" TEXT,
    "content" JSONB NOT NULL,
    "measuredAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Roofline_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Roof" (
    "deviceKey" TEXT NOT NULL,
    "profile" "Profile" NOT NULL,
    "content" JSONB NOT NULL,
    "workerId" TEXT,
    "measuredAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Roof_pkey" PRIMARY KEY ("deviceKey","profile")
);

-- CreateTable
CREATE TABLE "Environment" (
    "hash" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Environment_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "KernelSource" (
    "hash" TEXT NOT NULL,
    "wgsl" TEXT NOT NULL,

    CONSTRAINT "KernelSource_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "ContributedKernel" (
    "id" TEXT NOT NULL,
    "author" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "op" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "manifest" TEXT,
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "publishedAt" TIMESTAMPTZ(3),
    "removedAt" TIMESTAMPTZ(3),

    CONSTRAINT "ContributedKernel_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Sweep" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "suite" TEXT,
    "spec" JSONB NOT NULL,
    "deviceKeys" TEXT[],
    "idempotencyKey" TEXT,
    "createdBy" TEXT NOT NULL,
    "createdById" TEXT,
    "background" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cancelledAt" TIMESTAMPTZ(3),
    "tuning" JSONB,
    "decision" JSONB,
    "unlisted" BOOLEAN NOT NULL DEFAULT false,
    "imported" BOOLEAN NOT NULL DEFAULT false,
    "sentinel" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "Sweep_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Run" (
    "id" TEXT NOT NULL,
    "sweepId" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "deviceKey" TEXT NOT NULL,
    "kernel" TEXT NOT NULL,
    "tunables" JSONB NOT NULL,
    "address" TEXT NOT NULL,
    "op" TEXT NOT NULL,
    "shape" TEXT NOT NULL,
    "dtype" TEXT NOT NULL,
    "epilogue" TEXT,
    "profile" "Profile" NOT NULL,
    "policy" TEXT NOT NULL,
    "rival" JSONB,
    "contributed" BOOLEAN NOT NULL DEFAULT false,
    "isSearch" BOOLEAN NOT NULL DEFAULT false,
    "state" "RunState" NOT NULL DEFAULT 'pending',
    "workerId" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claimedAt" TIMESTAMPTZ(3),
    "beganAt" TIMESTAMPTZ(3),
    "seed" DOUBLE PRECISION,
    "endedAt" TIMESTAMPTZ(3),
    "retriedFrom" TIMESTAMPTZ(3),

    CONSTRAINT "Run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Result" (
    "id" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "workerId" TEXT NOT NULL,
    "environmentHash" TEXT NOT NULL,
    "sourceHash" TEXT,
    "outcome" JSONB NOT NULL,
    "medianNs" DOUBLE PRECISION,
    "lowNs" DOUBLE PRECISION,
    "highNs" DOUBLE PRECISION,
    "coldSamplesNs" DOUBLE PRECISION[],
    "hotSamplesNs" DOUBLE PRECISION[],
    "unranked" TEXT,
    "standing" INTEGER,
    "importedBy" TEXT,
    "tokenId" TEXT,
    "trusted" BOOLEAN NOT NULL DEFAULT false,
    "confirmedBy" TEXT,
    "endedAt" TIMESTAMPTZ(3) NOT NULL,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "transaction" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "Result_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "VariantBest" (
    "deviceKey" TEXT NOT NULL,
    "op" TEXT NOT NULL,
    "dtype" TEXT NOT NULL,
    "shape" TEXT NOT NULL,
    "profile" "Profile" NOT NULL,
    "methodology" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "kernel" TEXT NOT NULL,
    "contributed" BOOLEAN NOT NULL DEFAULT false,
    "resultId" TEXT NOT NULL,
    "medianNs" DOUBLE PRECISION NOT NULL,
    "lowNs" DOUBLE PRECISION NOT NULL,
    "highNs" DOUBLE PRECISION NOT NULL,
    "invocations" INTEGER NOT NULL,
    "spread" DOUBLE PRECISION,
    "standing" INTEGER NOT NULL,
    "unranked" TEXT,
    "isBest" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "VariantBest_pkey" PRIMARY KEY ("deviceKey","op","dtype","shape","profile","methodology","address")
);

-- CreateTable
CREATE TABLE "Token" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" "Role" NOT NULL,
    "hash" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "trusted" BOOLEAN NOT NULL DEFAULT false,
    "lastUsedAt" TIMESTAMPTZ(3),
    "closedAt" TIMESTAMPTZ(3),
    "inviteId" TEXT,

    CONSTRAINT "Token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Invite" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "seats" INTEGER NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,
    "trusted" BOOLEAN NOT NULL DEFAULT false,
    "createdBy" TEXT NOT NULL,
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Invite_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Session" (
    "id" TEXT NOT NULL,
    "tokenId" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "LoginLink" (
    "hash" TEXT NOT NULL,
    "tokenId" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "LoginLink_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "RateLimit" (
    "key" TEXT NOT NULL,
    "points" INTEGER NOT NULL,
    "expire" TIMESTAMPTZ(3),

    CONSTRAINT "RateLimit_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "Worker_instance_key" ON "Worker"("instance");

-- CreateIndex
CREATE INDEX "Device_hardware_idx" ON "Device"("hardware");

-- CreateIndex
CREATE INDEX "Worker_deviceKey_detachedAt_idx" ON "Worker"("deviceKey", "detachedAt");

-- CreateIndex
CREATE INDEX "Roofline_deviceKey_profile_id_idx" ON "Roofline"("deviceKey", "profile", "id");

-- CreateIndex
CREATE INDEX "Roofline_tokenId_idx" ON "Roofline"("tokenId");

-- CreateIndex
CREATE INDEX "Roofline_resultId_idx" ON "Roofline"("resultId");

-- CreateIndex
CREATE INDEX "ContributedKernel_author_name_createdAt_idx" ON "ContributedKernel"("author", "name", "createdAt");

-- CreateIndex
CREATE INDEX "ContributedKernel_createdById_createdAt_idx" ON "ContributedKernel"("createdById", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "Sweep_idempotencyKey_key" ON "Sweep"("idempotencyKey");

-- CreateIndex
CREATE INDEX "Sweep_suite_idx" ON "Sweep"("suite");

-- CreateIndex
CREATE INDEX "Sweep_createdById_idx" ON "Sweep"("createdById");

-- CreateIndex
CREATE INDEX "Run_sweepId_state_endedAt_idx" ON "Run"("sweepId", "state", "endedAt");

-- CreateIndex
CREATE INDEX "Run_deviceKey_state_idx" ON "Run"("deviceKey", "state");

-- CreateIndex
CREATE INDEX "Run_deviceKey_address_shape_idx" ON "Run"("deviceKey", "address", "shape");

-- CreateIndex
CREATE INDEX "Run_state_id_idx" ON "Run"("state", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Run_sweepId_ordinal_key" ON "Run"("sweepId", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "Result_runId_key" ON "Result"("runId");

-- CreateIndex
CREATE INDEX "Result_transaction_idx" ON "Result"("transaction");

-- CreateIndex
CREATE INDEX "Result_workerId_recordedAt_idx" ON "Result"("workerId", "recordedAt");

-- CreateIndex
CREATE INDEX "Result_tokenId_idx" ON "Result"("tokenId");

-- CreateIndex
CREATE INDEX "VariantBest_op_dtype_profile_shape_deviceKey_idx" ON "VariantBest"("op", "dtype", "profile", "shape", "deviceKey");

-- CreateIndex
CREATE INDEX "VariantBest_deviceKey_invocations_idx" ON "VariantBest"("deviceKey", "invocations");

-- CreateIndex
CREATE INDEX "VariantBest_kernel_dtype_profile_shape_deviceKey_idx" ON "VariantBest"("kernel", "dtype", "profile", "shape", "deviceKey");

-- CreateIndex
CREATE UNIQUE INDEX "Token_hash_key" ON "Token"("hash");

-- CreateIndex
CREATE INDEX "Token_inviteId_idx" ON "Token"("inviteId");

-- CreateIndex
CREATE UNIQUE INDEX "Invite_hash_key" ON "Invite"("hash");

-- CreateIndex
CREATE INDEX "Invite_createdById_idx" ON "Invite"("createdById");

-- CreateIndex
CREATE INDEX "Session_tokenId_idx" ON "Session"("tokenId");

-- CreateIndex
CREATE INDEX "Session_expiresAt_idx" ON "Session"("expiresAt");

-- CreateIndex
CREATE INDEX "LoginLink_tokenId_idx" ON "LoginLink"("tokenId");

-- CreateIndex
CREATE INDEX "RateLimit_expire_idx" ON "RateLimit"("expire");

-- AddForeignKey
ALTER TABLE "Worker" ADD CONSTRAINT "Worker_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Roofline" ADD CONSTRAINT "Roofline_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Roofline" ADD CONSTRAINT "Roofline_workerId_fkey" FOREIGN KEY ("workerId") REFERENCES "Worker"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Roofline" ADD CONSTRAINT "Roofline_resultId_fkey" FOREIGN KEY ("resultId") REFERENCES "Result"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Roof" ADD CONSTRAINT "Roof_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Roof" ADD CONSTRAINT "Roof_workerId_fkey" FOREIGN KEY ("workerId") REFERENCES "Worker"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Run" ADD CONSTRAINT "Run_sweepId_fkey" FOREIGN KEY ("sweepId") REFERENCES "Sweep"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Run" ADD CONSTRAINT "Run_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Run" ADD CONSTRAINT "Run_workerId_fkey" FOREIGN KEY ("workerId") REFERENCES "Worker"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Result" ADD CONSTRAINT "Result_runId_fkey" FOREIGN KEY ("runId") REFERENCES "Run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Result" ADD CONSTRAINT "Result_workerId_fkey" FOREIGN KEY ("workerId") REFERENCES "Worker"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Result" ADD CONSTRAINT "Result_environmentHash_fkey" FOREIGN KEY ("environmentHash") REFERENCES "Environment"("hash") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Result" ADD CONSTRAINT "Result_sourceHash_fkey" FOREIGN KEY ("sourceHash") REFERENCES "KernelSource"("hash") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Result" ADD CONSTRAINT "Result_tokenId_fkey" FOREIGN KEY ("tokenId") REFERENCES "Token"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VariantBest" ADD CONSTRAINT "VariantBest_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VariantBest" ADD CONSTRAINT "VariantBest_resultId_fkey" FOREIGN KEY ("resultId") REFERENCES "Result"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Token" ADD CONSTRAINT "Token_inviteId_fkey" FOREIGN KEY ("inviteId") REFERENCES "Invite"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Session" ADD CONSTRAINT "Session_tokenId_fkey" FOREIGN KEY ("tokenId") REFERENCES "Token"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "LoginLink" ADD CONSTRAINT "LoginLink_tokenId_fkey" FOREIGN KEY ("tokenId") REFERENCES "Token"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: what schema.prisma has no words for.

CREATE INDEX "Result_imported_idx" ON "Result"("medianNs") WHERE "importedBy" IS NOT NULL;
CREATE INDEX "Run_duel_idx" ON "Run"("deviceKey") WHERE "rival" IS NOT NULL;
CREATE INDEX "Run_contributed_idx" ON "Run"("kernel") WHERE "contributed";
CREATE INDEX "VariantBest_best_idx" ON "VariantBest"("op", "dtype", "profile", "shape", "deviceKey")
  WHERE "isBest";
CREATE INDEX "VariantBest_best_deviceKey_idx" ON "VariantBest"("deviceKey") WHERE "isBest";

-- A sweep is as unlisted as the contributed kernels that it names.
CREATE FUNCTION names_unlisted_kernel(spec jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM jsonb_array_elements(spec->'cases') AS named
    JOIN "ContributedKernel" AS k ON k."id" IN (named->>'kernel', named->'rival'->>'kernel')
    WHERE k."publishedAt" IS NULL) $$;

CREATE FUNCTION unlist_sweep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."unlisted" := names_unlisted_kernel(NEW."spec");
  RETURN NEW;
END $$;

CREATE TRIGGER "Sweep_unlisted" BEFORE INSERT ON "Sweep" FOR EACH ROW
EXECUTE FUNCTION unlist_sweep();
