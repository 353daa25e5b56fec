import { z } from 'zod';

export const date = z.iso.datetime();
export const id = z.string().min(1).max(64);
export const name = z.string().trim().min(1).max(120);
