-- CreateTable
CREATE TABLE "VariantBest" (
    "deviceKey" TEXT NOT NULL,
    "op" "Op" NOT NULL,
    "dtype" "Dtype" NOT NULL,
    "shape" TEXT NOT NULL,
    "profile" "Profile" NOT NULL,
    "address" TEXT NOT NULL,
    "kernel" TEXT NOT NULL,
    "resultId" TEXT NOT NULL,
    "medianNs" DOUBLE PRECISION NOT NULL,
    "unranked" TEXT,

    CONSTRAINT "VariantBest_pkey" PRIMARY KEY ("deviceKey","op","dtype","shape","profile","address")
);

-- CreateIndex
CREATE INDEX "VariantBest_op_dtype_profile_shape_idx" ON "VariantBest"("op", "dtype", "profile", "shape");

-- AddForeignKey
ALTER TABLE "VariantBest" ADD CONSTRAINT "VariantBest_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VariantBest" ADD CONSTRAINT "VariantBest_resultId_fkey" FOREIGN KEY ("resultId") REFERENCES "Result"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What has been measured so far, less the ceiling of the transposes.
INSERT INTO "VariantBest" ("deviceKey", "op", "dtype", "shape", "profile", "address", "kernel",
    "resultId", "medianNs", "unranked")
SELECT DISTINCT ON (run."deviceKey", run."op", run."dtype", run."shape", run."profile", run."address")
    run."deviceKey", run."op", run."dtype", run."shape", run."profile", run."address", run."kernel",
    result."id", result."medianNs", result."unranked"
FROM "Result" AS result
JOIN "Run" AS run ON run."id" = result."runId"
WHERE result."medianNs" IS NOT NULL AND run."kernel" <> 'transpose/copy'
ORDER BY run."deviceKey", run."op", run."dtype", run."shape", run."profile", run."address",
    result."unranked" IS NOT NULL, result."medianNs";
