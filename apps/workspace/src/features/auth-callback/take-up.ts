import type { HoldfastClient } from '@holdfast/client'
import { type Arrival } from '../../lib/auth/arrival.ts'
import { setPendingPassword } from '../../lib/pending-password.ts'

/** What a person arrived with that gives a session. */
export type Takeable = Extract<Arrival, { kind: 'code' | 'tokens' }>

const taken = new WeakMap<Takeable, Promise<void>>()

/**
 * Turns what a link or a provider has brought into a session; at most once, however often it is asked.
 *
 * @throws what the auth client answers
 */
export function takeUp(supabase: HoldfastClient['supabase'], arrival: Takeable): Promise<void> {
  const known = taken.get(arrival)
  if (known) return known
  const work = signIn(supabase, arrival)
  taken.set(arrival, work)
  return work
}

async function signIn({ auth }: HoldfastClient['supabase'], arrival: Takeable): Promise<void> {
  if (arrival.kind === 'code') {
    const { error } = await auth.exchangeCodeForSession(
      arrival.code,
      arrival.flowId === undefined ? {} : { flowId: arrival.flowId },
    )
    if (error) throw error
    return
  }
  const { accessToken, refreshToken, type } = arrival
  const { data, error } = await auth.setSession({ access_token: accessToken, refresh_token: refreshToken })
  if (error) throw error
  if (data.user && (type === 'invite' || type === 'recovery')) {
    setPendingPassword({ userId: data.user.id, reason: type })
  }
}
