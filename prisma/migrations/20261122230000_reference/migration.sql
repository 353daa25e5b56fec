-- CreateTable
CREATE TABLE "Reference" (
    "fileHash" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "op" TEXT NOT NULL,
    "dtype" TEXT NOT NULL,
    "shape" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "importedBy" TEXT NOT NULL,
    "importedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Reference_pkey" PRIMARY KEY ("fileHash","place")
);

-- CreateIndex
CREATE INDEX "Reference_op_dtype_shape_idx" ON "Reference"("op", "dtype", "shape");
