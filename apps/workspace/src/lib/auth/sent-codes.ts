import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../local-value.ts'
import type { Identifier } from './identifier.ts'

/** Purpose of a code. */
export type CodePurpose = 'sign-in' | 'sign-up' | 'recovery'

/** Default interval in seconds between mails or messages to one address. */
const RESEND_WAIT_S = 60

/** The last address written to: a failing link does not tell whose it was, and opens in another tab. */
const lastEmail = localValue('hf-last-written-to', v.string())

/** Time in ms since the epoch at which the next code may be requested, by purpose and address, so that navigating between screens sends no second mail. */
const useSentCodes = create<{ readonly nextAtMs: Readonly<Record<string, number>> }>(() => ({ nextAtMs: {} }))

export function noteSent(purpose: CodePurpose, identifier: Identifier, waitS: number = RESEND_WAIT_S): void {
  if ('email' in identifier) lastEmail.write(identifier.email)
  useSentCodes.setState(({ nextAtMs }) => ({
    nextAtMs: { ...nextAtMs, [keyOf(purpose, identifier)]: Date.now() + waitS * 1_000 },
  }))
}

/** Returns when the next code may be requested; `undefined` if this page has sent none. */
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
