-- The Postgres role of enrolled workers. It attaches, takes runs, records what came of them
-- and starts the starter suite on a new device; it cannot read or write tokens or change
-- the schema. Run it as the owner of the database, and again after each upgrade.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tilemark_worker') THEN
    CREATE ROLE tilemark_worker LOGIN;
  END IF;
END $$;

GRANT USAGE ON SCHEMA public TO tilemark_worker;
GRANT SELECT, INSERT, UPDATE ON "Device", "Worker", "Best", "VariantBest" TO tilemark_worker;
GRANT SELECT, INSERT ON "Sweep", "Result", "Environment", "KernelSource", "Roofline"
  TO tilemark_worker;
-- A run of a cancelled sweep is deleted when its worker gives it back.
GRANT SELECT, INSERT, UPDATE, DELETE ON "Run" TO tilemark_worker;

-- The queue's schema, which the site makes where the queue is kept in Postgres. Not CREATE:
-- a function put there would be run by the site, with the site's rights.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'bullmq') THEN
    GRANT USAGE ON SCHEMA bullmq TO tilemark_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bullmq TO tilemark_worker;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO tilemark_worker;
    REVOKE INSERT, UPDATE, DELETE ON bullmq.migration FROM tilemark_worker;
  END IF;
END $$;
