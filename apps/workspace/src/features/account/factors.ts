import type { Factor, User } from '@supabase/supabase-js'
import { securityMessages as words } from '../../messages/account-security.ts'

/** The second steps that count. One that was begun and never confirmed does not. */
export function verifiedFactors(user: User | undefined): readonly Factor[] {
  return (user?.factors ?? []).filter(({ status }) => status === 'verified')
}

/** The name that the person gave it, else its kind. */
export function nameOfFactor(factor: Factor | undefined): string {
  if (factor === undefined) return words.factorKinds.totp
  const given = factor.friendly_name?.trim() ?? ''
  return given === '' ? words.factorKinds[factor.factor_type] : given
}

/** `Authenticator app`, and `Authenticator app 2` when that is taken: names of factors have to differ. */
export function freeName(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted
  let number = 2
  while (taken.includes(`${wanted} ${number}`)) number += 1
  return `${wanted} ${number}`
}
