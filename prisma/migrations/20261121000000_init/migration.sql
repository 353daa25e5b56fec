-- CreateEnum
CREATE TYPE "DeviceClass" AS ENUM ('gpu', 'software', 'cpu', 'browser');

-- CreateEnum
CREATE TYPE "Profile" AS ENUM ('default', 'fast');

-- CreateEnum
CREATE TYPE "Op" AS ENUM ('matmul', 'transpose');

-- CreateEnum
CREATE TYPE "Dtype" AS ENUM ('f32', 'i32', 'f16');

-- CreateEnum
CREATE TYPE "Role" AS ENUM ('member', 'admin', 'worker');

-- CreateEnum
CREATE TYPE "WorkerState" AS ENUM ('idle', 'running', 'draining');

-- CreateEnum
CREATE TYPE "RunState" AS ENUM ('pending', 'running', 'measured', 'skipped', 'incorrect', 'failed');

-- CreateTable
CREATE TABLE "Device" (
    "key" TEXT NOT NULL,
    "vendor" TEXT NOT NULL,
    "architecture" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "backend" TEXT NOT NULL,
    "runtime" TEXT NOT NULL,
    "class" "DeviceClass" NOT NULL,
    "capabilities" JSONB NOT NULL,
    "firstSeenAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lastSeenAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

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
    "attachedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lastHeartbeatAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "detachedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Worker_pkey" PRIMARY KEY ("id")
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
CREATE TABLE "Sweep" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "suite" TEXT,
    "spec" JSONB NOT NULL,
    "deviceKeys" TEXT[],
    "idempotencyKey" TEXT,
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cancelledAt" TIMESTAMPTZ(3),

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
    "op" "Op" NOT NULL,
    "shape" TEXT NOT NULL,
    "dtype" "Dtype" NOT NULL,
    "profile" "Profile" NOT NULL,
    "policy" TEXT NOT NULL,
    "state" "RunState" NOT NULL DEFAULT 'pending',
    "workerId" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
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
    "endedAt" TIMESTAMPTZ(3) NOT NULL,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "transaction" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "Result_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Best" (
    "deviceKey" TEXT NOT NULL,
    "op" "Op" NOT NULL,
    "dtype" "Dtype" NOT NULL,
    "shape" TEXT NOT NULL,
    "profile" "Profile" NOT NULL,
    "resultId" TEXT NOT NULL,
    "medianNs" DOUBLE PRECISION NOT NULL,
    "lowNs" DOUBLE PRECISION NOT NULL,
    "highNs" DOUBLE PRECISION NOT NULL,
    "unranked" TEXT,
    "measuredAt" TIMESTAMPTZ(3) NOT NULL,
    "naiveResultId" TEXT,
    "naiveMedianNs" DOUBLE PRECISION,
    "naiveUnranked" TEXT,

    CONSTRAINT "Best_pkey" PRIMARY KEY ("deviceKey","op","dtype","shape","profile")
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
    "lastUsedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Token_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Worker_deviceKey_detachedAt_idx" ON "Worker"("deviceKey", "detachedAt");

-- CreateIndex
CREATE UNIQUE INDEX "Sweep_idempotencyKey_key" ON "Sweep"("idempotencyKey");

-- CreateIndex
CREATE INDEX "Sweep_suite_idx" ON "Sweep"("suite");

-- CreateIndex
CREATE INDEX "Run_sweepId_state_endedAt_idx" ON "Run"("sweepId", "state", "endedAt");

-- CreateIndex
CREATE INDEX "Run_deviceKey_state_idx" ON "Run"("deviceKey", "state");

-- CreateIndex
CREATE INDEX "Run_state_id_idx" ON "Run"("state", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Run_sweepId_ordinal_key" ON "Run"("sweepId", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "Result_runId_key" ON "Result"("runId");

-- CreateIndex
CREATE INDEX "Result_transaction_idx" ON "Result"("transaction");

-- CreateIndex
CREATE INDEX "Best_op_dtype_profile_shape_idx" ON "Best"("op", "dtype", "profile", "shape");

-- CreateIndex
CREATE UNIQUE INDEX "Token_hash_key" ON "Token"("hash");

-- AddForeignKey
ALTER TABLE "Worker" ADD CONSTRAINT "Worker_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

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
ALTER TABLE "Best" ADD CONSTRAINT "Best_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Best" ADD CONSTRAINT "Best_resultId_fkey" FOREIGN KEY ("resultId") REFERENCES "Result"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Best" ADD CONSTRAINT "Best_naiveResultId_fkey" FOREIGN KEY ("naiveResultId") REFERENCES "Result"("id") ON DELETE SET NULL ON UPDATE CASCADE;
