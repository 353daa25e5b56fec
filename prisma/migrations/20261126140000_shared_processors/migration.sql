-- Invocations on processors that the machine shares with its other work were assumed to differ by
-- 0.3%, and differ by far more: 10% from now on (rank/headline.ts). Headlines of fewer than five are
-- widened by the difference, unless their device has shown its own spread; of two to four, at least
-- by as much. Then each problem has its best and its fastest naive kernel by these intervals.
UPDATE "VariantBest" AS v SET
  "lowNs" = greatest("medianNs" - sqrt(power("medianNs" - "lowNs", 2) + power("medianNs", 2) * wider."square"),
    0.01 * "medianNs"),
  "highNs" = "medianNs" + sqrt(power("highNs" - "medianNs", 2) + power("medianNs", 2) * wider."square")
FROM "Device" AS device, (
  -- The median of n varies as much as MEDIAN_OVER_MEAN / sqrt(n) of one.
  SELECT n, power(1.96, 2) * (power(0.1, 2) - power(0.003, 2)) * power("overMean", 2) / n AS "square"
  FROM (VALUES (1, 1), (2, 1), (3, 1.16), (4, 1.092)) AS _ (n, "overMean")) AS wider
WHERE device."key" = v."deviceKey" AND device."class" IN ('software', 'cpu')
  AND v."methodology" = 2 AND v."invocations" = wider.n
  AND (SELECT coalesce(sum(other."invocations" - 1), 0) FROM "VariantBest" AS other
    WHERE other."deviceKey" = v."deviceKey" AND other."methodology" = v."methodology"
      AND other."invocations" > 1 AND other."standing" < 2) < 8;

WITH placed AS (
  SELECT v.*, CASE
    WHEN greatest("highNs" - "medianNs", "medianNs" - "lowNs") <= 0.02 * "medianNs" THEN "medianNs"
    ELSE "highNs" END AS "provenNs"
  FROM "VariantBest" AS v JOIN "Device" AS device ON device."key" = v."deviceKey"
  WHERE device."class" IN ('software', 'cpu') AND v."methodology" = 2
), first AS (
  SELECT DISTINCT ON ("deviceKey", "op", "dtype", "shape", "profile", "methodology") *
  FROM placed WHERE strpos("kernel", '@') = 0
  ORDER BY "deviceKey", "op", "dtype", "shape", "profile", "methodology", "standing", "provenNs"
), naive AS (
  SELECT DISTINCT ON ("deviceKey", "op", "dtype", "shape", "profile", "methodology") *
  FROM placed WHERE "kernel" ~ '/(cpu-)?naive$'
  ORDER BY "deviceKey", "op", "dtype", "shape", "profile", "methodology", "standing", "provenNs"
)
UPDATE "Best" AS b SET "resultId" = first."resultId", "medianNs" = first."medianNs",
  "lowNs" = first."lowNs", "highNs" = first."highNs", "invocations" = first."invocations",
  "unranked" = first."unranked", "measuredAt" = result."endedAt",
  "naiveResultId" = naive."resultId", "naiveMedianNs" = naive."medianNs",
  "naiveUnranked" = naive."unranked"
FROM first
JOIN "Result" AS result ON result."id" = first."resultId"
LEFT JOIN naive USING ("deviceKey", "op", "dtype", "shape", "profile", "methodology")
WHERE b."deviceKey" = first."deviceKey" AND b."op" = first."op" AND b."dtype" = first."dtype"
  AND b."shape" = first."shape" AND b."profile" = first."profile"
  AND b."methodology" = first."methodology";
