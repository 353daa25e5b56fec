-- Each party has a roof of its own, which applies to its own results until the operator has one.

ALTER TABLE "Roof" DROP CONSTRAINT "Roof_pkey",
ADD CONSTRAINT "Roof_pkey" PRIMARY KEY ("deviceKey", "profile", "party");
