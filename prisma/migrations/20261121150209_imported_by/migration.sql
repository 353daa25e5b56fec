-- AlterTable
ALTER TABLE "Result" ADD COLUMN     "importedBy" TEXT;

-- Imports have so far been told by the name of their worker.
UPDATE "Result" AS result SET "importedBy" = substr(worker."name", length('import by ') + 1)
FROM "Worker" AS worker
WHERE worker."id" = result."workerId" AND worker."name" LIKE 'import by %';
