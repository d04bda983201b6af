import type { HoldfastClient } from '@holdfast/client'
import type { Factor } from '@supabase/supabase-js'
import { unwrap } from './unwrap.ts'

/** Removes unverified second factors of a kind, for example after a reload during enrolment. They block their names, and their secrets are no longer shown. */
export async function forgetAbandoned(
  supabase: HoldfastClient['supabase'],
  kind: Factor['factor_type'],
): Promise<void> {
  const { all } = unwrap(await supabase.auth.mfa.listFactors())
  for (const { id, status, factor_type } of all) {
    if (status === 'unverified' && factor_type === kind) unwrap(await supabase.auth.mfa.unenroll({ factorId: id }))
  }
}
