-- AlterTable
ALTER TABLE "Device" ADD COLUMN     "label" TEXT;
