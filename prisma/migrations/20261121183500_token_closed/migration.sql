-- AlterTable
ALTER TABLE "Token" ADD COLUMN     "closedAt" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "Worker" ADD COLUMN     "tokenId" TEXT;

UPDATE "Worker" SET "tokenId" = "Enrolment"."tokenId"
FROM "Enrolment" WHERE "Enrolment"."workerId" = "Worker"."id";
