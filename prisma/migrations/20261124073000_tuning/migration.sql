-- AlterTable
ALTER TABLE "Sweep" ADD COLUMN     "decision" JSONB,
ADD COLUMN     "tuning" JSONB;
-- AlterTable
ALTER TABLE "Run" ADD COLUMN     "beganAt" TIMESTAMPTZ(3);
