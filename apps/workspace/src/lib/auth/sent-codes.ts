import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../local-value.ts'
import type { Identifier } from './identifier.ts'

/** What a code was asked for. */
export type CodePurpose = 'sign-in' | 'sign-up' | 'recovery'

/** The server sends one mail or message to an address at most this often, unless it says otherwise; in seconds. */
const RESEND_WAIT_S = 60

/** A link that fails does not say whose it was, and opens in another tab; so the address that was written to last is kept. */
const lastEmail = localValue('hf-last-written-to', v.string())

/** When the next one may be asked for, in milliseconds since 1970, by purpose and address: going back and forth between screens sends no second mail. */
const useSentCodes = create<{ readonly nextAtMs: Readonly<Record<string, number>> }>(() => ({ nextAtMs: {} }))

export function noteSent(purpose: CodePurpose, identifier: Identifier, waitS: number = RESEND_WAIT_S): void {
  if ('email' in identifier) lastEmail.write(identifier.email)
  useSentCodes.setState(({ nextAtMs }) => ({
    nextAtMs: { ...nextAtMs, [keyOf(purpose, identifier)]: Date.now() + waitS * 1_000 },
  }))
}

/** When the next one may be asked for; `undefined` when this page has sent none. */
export function useNextSendAtMs(purpose: CodePurpose, identifier: Identifier): number | undefined {
  return useSentCodes(({ nextAtMs }) => nextAtMs[keyOf(purpose, identifier)])
}

export function readLastEmail(): string | undefined {
  return lastEmail.read()
}

export function forgetLastEmail(): void {
  lastEmail.clear()
}

function keyOf(purpose: CodePurpose, identifier: Identifier): string {
  return `${purpose}:${'email' in identifier ? identifier.email : identifier.phone}`
}
