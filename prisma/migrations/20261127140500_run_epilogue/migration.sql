-- AlterTable
ALTER TABLE "Run" ADD COLUMN     "epilogue" TEXT;
