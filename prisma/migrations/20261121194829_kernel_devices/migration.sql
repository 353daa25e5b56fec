-- DropIndex
DROP INDEX "VariantBest_kernel_dtype_profile_shape_idx";

-- CreateIndex
CREATE INDEX "VariantBest_kernel_dtype_profile_shape_deviceKey_idx" ON "VariantBest"("kernel", "dtype", "profile", "shape", "deviceKey");
