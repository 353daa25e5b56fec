-- AlterTable
ALTER TABLE "Worker" ADD COLUMN     "contributed" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "ContributedKernel" (
    "id" TEXT NOT NULL,
    "author" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "op" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "manifest" TEXT,
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "publishedAt" TIMESTAMPTZ(3),
    "removedAt" TIMESTAMPTZ(3),

    CONSTRAINT "ContributedKernel_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ContributedKernel_author_name_createdAt_idx" ON "ContributedKernel"("author", "name", "createdAt");

-- CreateIndex
CREATE INDEX "ContributedKernel_createdById_createdAt_idx" ON "ContributedKernel"("createdById", "createdAt");
