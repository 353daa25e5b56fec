-- A sweep is as unlisted as the contributed kernels that it names.

ALTER TABLE "Sweep" ADD COLUMN "unlisted" BOOLEAN NOT NULL DEFAULT false;

CREATE FUNCTION names_unlisted_kernel(spec jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM jsonb_array_elements(spec->'cases') AS named
    JOIN "ContributedKernel" AS k ON k."id" IN (named->>'kernel', named->'rival'->>'kernel')
    WHERE k."publishedAt" IS NULL) $$;

UPDATE "Sweep" SET "unlisted" = true
WHERE strpos("spec"::text, '@') > 0 AND names_unlisted_kernel("spec");

CREATE FUNCTION unlist_sweep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."unlisted" := names_unlisted_kernel(NEW."spec");
  RETURN NEW;
END $$;

CREATE TRIGGER "Sweep_unlisted" BEFORE INSERT ON "Sweep" FOR EACH ROW
WHEN (strpos(NEW."spec"::text, '@') > 0) EXECUTE FUNCTION unlist_sweep();
