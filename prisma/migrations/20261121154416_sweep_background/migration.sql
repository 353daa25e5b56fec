-- AlterTable
ALTER TABLE "Sweep" ADD COLUMN     "background" BOOLEAN NOT NULL DEFAULT false;
