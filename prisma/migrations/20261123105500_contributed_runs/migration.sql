-- CreateIndex
CREATE INDEX "Run_contributed_idx" ON "Run"("kernel") WHERE strpos("kernel", '@') > 0;
