import { create } from 'zustand'

/** Who a code was sent to, and what for. */
export type CodePurpose = 'sign-in' | 'sign-up' | 'recovery'

/** The server sends one mail or message to an address at most this often, unless it says otherwise; in seconds. */
export const RESEND_WAIT_S = 60

interface SentCodes {
  /** When the next one may be asked for, in milliseconds since 1970, by purpose and address. */
  readonly nextAtMs: Readonly<Record<string, number>>
  /** The address that was written to last: a link that fails does not say whose it was. */
  readonly lastAddress: { readonly email: string } | { readonly phone: string } | undefined
}

/** What this page has sent, so that going back and forth between screens asks for no second mail. */
export const useSentCodes = create<SentCodes>(() => ({ nextAtMs: {}, lastAddress: undefined }))

export function noteSent(purpose: CodePurpose, address: string, waitS: number = RESEND_WAIT_S): void {
  useSentCodes.setState(({ nextAtMs }) => ({
    nextAtMs: { ...nextAtMs, [`${purpose}:${address}`]: Date.now() + waitS * 1_000 },
    lastAddress: address.includes('@') ? { email: address } : { phone: address },
  }))
}

/** When the next one may be asked for; `undefined` when none was sent. */
export function useNextSendAtMs(purpose: CodePurpose, address: string): number | undefined {
  return useSentCodes(({ nextAtMs }) => nextAtMs[`${purpose}:${address}`])
}
