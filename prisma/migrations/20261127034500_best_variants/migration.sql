-- The best of a problem on a device is one of its variants' headlines.
ALTER TABLE "VariantBest" ADD COLUMN "isBest" BOOLEAN NOT NULL DEFAULT false;

UPDATE "VariantBest" AS variant SET "isBest" = true
FROM (
  SELECT DISTINCT ON ("deviceKey", "op", "dtype", "shape", "profile", "methodology")
    "deviceKey", "op", "dtype", "shape", "profile", "methodology", "address"
  FROM "VariantBest"
    JOIN "Best" AS best USING ("deviceKey", "op", "dtype", "shape", "profile", "methodology")
  WHERE strpos("kernel", '@') = 0
  ORDER BY "deviceKey", "op", "dtype", "shape", "profile", "methodology",
    "VariantBest"."resultId" <> best."resultId", "standing", "VariantBest"."highNs") AS first
WHERE (variant."deviceKey", variant."op", variant."dtype", variant."shape", variant."profile",
    variant."methodology", variant."address")
  = (first."deviceKey", first."op", first."dtype", first."shape", first."profile",
    first."methodology", first."address");

DROP TABLE "Best";

CREATE INDEX "VariantBest_best_idx" ON "VariantBest"("op", "dtype", "profile", "shape", "deviceKey")
  WHERE "isBest";
CREATE INDEX "VariantBest_best_deviceKey_idx" ON "VariantBest"("deviceKey") WHERE "isBest";
