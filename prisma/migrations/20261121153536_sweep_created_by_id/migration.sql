-- AlterTable
ALTER TABLE "Sweep" ADD COLUMN     "createdById" TEXT;
