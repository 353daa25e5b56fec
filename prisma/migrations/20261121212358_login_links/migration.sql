-- CreateTable
CREATE TABLE "LoginLink" (
    "hash" TEXT NOT NULL,
    "tokenId" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "LoginLink_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "LoginLink_tokenId_idx" ON "LoginLink"("tokenId");

-- AddForeignKey
ALTER TABLE "LoginLink" ADD CONSTRAINT "LoginLink_tokenId_fkey" FOREIGN KEY ("tokenId") REFERENCES "Token"("id") ON DELETE CASCADE ON UPDATE CASCADE;
