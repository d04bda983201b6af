import type { Factor, User } from '@supabase/supabase-js'
import { securityMessages as words } from '../../messages/account-security.ts'

/** Returns the verified second factors. */
export function verifiedFactors(user: User | undefined): readonly Factor[] {
  return (user?.factors ?? []).filter(({ status }) => status === 'verified')
}

/** Returns a factor's name, or else its kind. */
export function nameOfFactor(factor: Factor | undefined): string {
  if (factor === undefined) return words.factorKinds.totp
  const given = factor.friendly_name?.trim() ?? ''
  return given === '' ? words.factorKinds[factor.factor_type] : given
}

/** Returns a unique factor name: `Authenticator app`, or `Authenticator app 2` if that is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted
  let number = 2
  while (taken.includes(`${wanted} ${number}`)) number += 1
  return `${wanted} ${number}`
}
