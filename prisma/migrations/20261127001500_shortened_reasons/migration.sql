-- Texts of any length were kept, and lists serve them to everybody: as long as new ones are.
UPDATE "Result"
SET "outcome" = jsonb_set("outcome", '{why}', to_jsonb(left("outcome"->>'why', 3980) || ' … (shortened)'))
WHERE "medianNs" IS NULL AND length("outcome"->>'why') > 4000;

UPDATE "Result"
SET "outcome" = jsonb_set("outcome", '{message}', to_jsonb(left("outcome"->>'message', 3980) || ' … (shortened)'))
WHERE "medianNs" IS NULL AND length("outcome"->>'message') > 4000;

UPDATE "Result"
SET "outcome" = jsonb_set("outcome", '{reason}', to_jsonb(left("outcome"->>'reason', 3980) || ' … (shortened)'))
WHERE "medianNs" IS NULL AND length("outcome"->>'reason') > 4000;

UPDATE "Result"
SET "unranked" = left("unranked", 3980) || ' … (shortened)',
  "outcome" = jsonb_set("outcome", '{measurement,unranked}', to_jsonb(left("unranked", 3980) || ' … (shortened)'))
WHERE length("unranked") > 4000;
