-- A reference figure leads to the imported result that it is: without this, every page with figures
-- read all results.
CREATE INDEX "Result_imported_idx" ON "Result"("medianNs") WHERE "importedBy" IS NOT NULL;
