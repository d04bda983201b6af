import type { Factor } from '@supabase/supabase-js'

/** What the form of every kind of factor receives. */
export interface FactorFormProps {
  readonly factor: Factor
  readonly isOnline: boolean
  readonly onConfirmed: () => Promise<void>
}
