-- AlterTable
ALTER TABLE "Token" ADD COLUMN     "inviteId" TEXT;

-- CreateTable
CREATE TABLE "Invite" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "seats" INTEGER NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,
    "createdBy" TEXT NOT NULL,
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Invite_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "Invite_hash_key" ON "Invite"("hash");

-- CreateIndex
CREATE INDEX "Invite_createdById_idx" ON "Invite"("createdById");

-- CreateIndex
CREATE INDEX "Token_inviteId_idx" ON "Token"("inviteId");

-- AddForeignKey
ALTER TABLE "Token" ADD CONSTRAINT "Token_inviteId_fkey" FOREIGN KEY ("inviteId") REFERENCES "Invite"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Whoever has a link can take several of its seats: all of them speak as one, and that of a member's
-- link as the member.
CREATE OR REPLACE FUNCTION party_of_token(token_id text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT CASE WHEN token_id IS NULL
      OR EXISTS (SELECT FROM "Token" WHERE "id" = token_id AND "role" = 'admin')
    THEN 'operator'
    ELSE coalesce(
      (SELECT CASE WHEN maker."role" = 'admin' THEN invite."id" ELSE invite."createdById" END
       FROM "Token" AS token JOIN "Invite" AS invite ON invite."id" = token."inviteId"
       JOIN "Token" AS maker ON maker."id" = invite."createdById"
       WHERE token."id" = token_id),
      token_id) END $$;
