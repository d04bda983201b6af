import { createClient } from '@holdfast/client'
import { PowerSyncDatabase } from '@powersync/web'

export const client = createClient({
  url: import.meta.env.VITE_SUPABASE_URL,
  anonKey: import.meta.env.VITE_SUPABASE_ANON_KEY,
  openDatabase: ({ schema, fileName }) => new PowerSyncDatabase({ schema, database: { dbFilename: fileName } }),
})
