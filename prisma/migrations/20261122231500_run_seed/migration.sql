-- Drawn when a run is claimed; runs that ended before have none.
ALTER TABLE "Run" ADD COLUMN "seed" DOUBLE PRECISION;
