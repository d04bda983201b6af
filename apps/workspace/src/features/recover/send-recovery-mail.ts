import type { HoldfastClient } from '@holdfast/client'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { noteSent } from '../../lib/auth/sent-codes.ts'

/** @throws errors of the auth client, which do not reveal whether the account exists */
export async function sendRecoveryMail(supabase: HoldfastClient['supabase'], email: string): Promise<void> {
  const { error } = await supabase.auth.resetPasswordForEmail(email, { redirectTo: callbackUrl({ flow: 'recovery' }) })
  if (error) throw error
  noteSent('recovery', { email })
}
