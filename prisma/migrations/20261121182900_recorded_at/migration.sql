-- AlterTable
ALTER TABLE "Result" ALTER COLUMN "recordedAt" SET DEFAULT clock_timestamp();
