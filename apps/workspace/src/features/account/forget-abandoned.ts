import type { HoldfastClient } from '@holdfast/client'
import type { Factor } from '@supabase/supabase-js'
import { unwrap } from './unwrap.ts'

/**
 * Removes second steps of a kind that were begun and never confirmed, as after a reload of the page in between: they keep their names taken, and what they showed is
 * gone.
 */
export async function forgetAbandoned(
  supabase: HoldfastClient['supabase'],
  kind: Factor['factor_type'],
): Promise<void> {
  const { all } = unwrap(await supabase.auth.mfa.listFactors())
  for (const { id, status, factor_type } of all) {
    if (status === 'unverified' && factor_type === kind) unwrap(await supabase.auth.mfa.unenroll({ factorId: id }))
  }
}
