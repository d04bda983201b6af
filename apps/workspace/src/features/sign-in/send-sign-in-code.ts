import type { HoldfastClient } from '@holdfast/client'
import { isAuthError } from '@supabase/supabase-js'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import type { Identifier } from '../../lib/auth/identifier.ts'
import { noteSent } from '../../lib/auth/sent-codes.ts'

/** The server's codes for an address without an account. The screen looks the same either way. */
const NO_ACCOUNT = new Set(['otp_disabled', 'user_not_found', 'signup_disabled'])

/**
 * Requests a mail with a code and a link, or a text message with a code. Never creates an account.
 *
 * @throws errors of the auth client
 */
export async function sendSignInCode(
  supabase: HoldfastClient['supabase'],
  identifier: Identifier,
  redirect: string | undefined,
): Promise<void> {
  const emailRedirectTo = callbackUrl({ flow: 'link', redirect })
  const { error } = await supabase.auth.signInWithOtp({
    ...identifier,
    options: { shouldCreateUser: false, emailRedirectTo },
  })
  if (error && !(isAuthError(error) && NO_ACCOUNT.has(error.code ?? ''))) throw error
  noteSent('sign-in', identifier)
}
