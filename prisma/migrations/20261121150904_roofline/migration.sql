-- CreateTable
CREATE TABLE "Roofline" (
    "id" TEXT NOT NULL,
    "deviceKey" TEXT NOT NULL,
    "profile" "Profile" NOT NULL,
    "workerId" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "measuredAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Roofline_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Roofline_deviceKey_profile_id_idx" ON "Roofline"("deviceKey", "profile", "id");

-- AddForeignKey
ALTER TABLE "Roofline" ADD CONSTRAINT "Roofline_deviceKey_fkey" FOREIGN KEY ("deviceKey") REFERENCES "Device"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Roofline" ADD CONSTRAINT "Roofline_workerId_fkey" FOREIGN KEY ("workerId") REFERENCES "Worker"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
