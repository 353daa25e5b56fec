-- Ops and dtypes are rows of tables in the code: a new one needs no migration.
ALTER TABLE "Run"
    ALTER COLUMN "op" TYPE TEXT USING "op"::text,
    ALTER COLUMN "dtype" TYPE TEXT USING "dtype"::text;
ALTER TABLE "Best"
    ALTER COLUMN "op" TYPE TEXT USING "op"::text,
    ALTER COLUMN "dtype" TYPE TEXT USING "dtype"::text;
ALTER TABLE "VariantBest"
    ALTER COLUMN "op" TYPE TEXT USING "op"::text,
    ALTER COLUMN "dtype" TYPE TEXT USING "dtype"::text;

DROP TYPE "Op";
DROP TYPE "Dtype";
