-- AlterTable
ALTER TABLE "Invite" ADD COLUMN     "problems" JSONB NOT NULL DEFAULT '[]';
