import { fileURLToPath } from 'node:url'

/** The files of the sample's edge functions, in the form of a project's folder `supabase`. */
export const SAMPLE_PROJECT = fileURLToPath(new URL('../supabase/', import.meta.url))
