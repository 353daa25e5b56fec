-- The rows of one problem on one device are looked up for every result: without the device, a plan
-- that chose these indexes over the keys read the rows of all devices.
DROP INDEX "Best_op_dtype_profile_shape_idx";
CREATE INDEX "Best_op_dtype_profile_shape_deviceKey_idx" ON "Best"("op", "dtype", "profile", "shape", "deviceKey");
DROP INDEX "VariantBest_op_dtype_profile_shape_idx";
CREATE INDEX "VariantBest_op_dtype_profile_shape_deviceKey_idx" ON "VariantBest"("op", "dtype", "profile", "shape", "deviceKey");
