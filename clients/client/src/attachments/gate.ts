import { createValue, type Value } from '../value.ts'

/** Why transfers are paused; `undefined` if they are not. */
export type TransferPause = 'person' | 'metered' | 'offline' | 'sign_in' | 'disconnected' | undefined

export interface GateFacts {
  readonly isPausedByUser: boolean
  readonly usesMetered: boolean
  readonly isMetered: boolean
  readonly isOffline: boolean
  readonly needsSignIn: boolean
  readonly isWanted: boolean
}

/** Returns the reason that the user can influence most. */
export function judgeGate(facts: GateFacts): TransferPause {
  if (facts.isPausedByUser) return 'person'
  if (facts.needsSignIn) return 'sign_in'
  if (!facts.isWanted) return 'disconnected'
  if (facts.isOffline) return 'offline'
  if (facts.isMetered && !facts.usesMetered) return 'metered'
  return undefined
}

/** Connection information available only in Chromium. */
interface NetworkInformation extends EventTarget {
  readonly type?: string
  readonly saveData?: boolean
}

/** Follows whether the network is metered: a mobile network, or the browser's data saver. */
export function watchMetered(): Value<boolean> & Disposable {
  const connection = (globalThis.navigator as (Navigator & { connection?: NetworkInformation }) | undefined)?.connection
  const read = (): boolean => connection?.type === 'cellular' || connection?.saveData === true
  const value = createValue(read())
  const refresh = (): void => value.set(read())
  connection?.addEventListener?.('change', refresh)
  return { ...value, [Symbol.dispose]: () => connection?.removeEventListener?.('change', refresh) }
}
