-- AlterTable
ALTER TABLE "Run" ADD COLUMN     "rival" JSONB;
