-- AlterTable
ALTER TABLE "Sweep" ADD COLUMN     "decision" JSONB,
ADD COLUMN     "tuning" JSONB;
