import { fileURLToPath } from 'node:url'

/** The sample's edge functions, laid out like a project's folder `supabase`. */
export const SAMPLE_PROJECT = fileURLToPath(new URL('../supabase/', import.meta.url))
