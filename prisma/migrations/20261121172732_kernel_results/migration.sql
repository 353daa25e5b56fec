-- CreateIndex
CREATE INDEX "VariantBest_kernel_dtype_profile_shape_idx" ON "VariantBest"("kernel", "dtype", "profile", "shape");
