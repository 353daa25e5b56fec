-- AlterEnum
ALTER TYPE "Dtype" ADD VALUE 'f16acc16';
