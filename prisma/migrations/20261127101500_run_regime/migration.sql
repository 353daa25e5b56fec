-- AlterTable
ALTER TABLE "Run" ADD COLUMN     "regime" TEXT;
