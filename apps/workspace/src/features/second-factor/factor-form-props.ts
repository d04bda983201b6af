import type { Factor } from '@supabase/supabase-js'

/** Props of every factor's form. */
export interface FactorFormProps {
  readonly factor: Factor
  readonly isOnline: boolean
  readonly onConfirmed: () => Promise<void>
}
