import { createValue, type Value } from '../value.ts'

/** Why no file goes up or comes down now; `undefined`: files are transferred. */
export type TransferPause = 'person' | 'metered' | 'offline' | 'sign_in' | 'disconnected' | undefined

export interface GateFacts {
  readonly isPausedByPerson: boolean
  readonly usesMetered: boolean
  readonly isMetered: boolean
  readonly isOffline: boolean
  readonly needsSignIn: boolean
  readonly isWanted: boolean
}

/** The reason that a person can do most about comes first. */
export function judgeGate(facts: GateFacts): TransferPause {
  if (facts.isPausedByPerson) return 'person'
  if (facts.needsSignIn) return 'sign_in'
  if (!facts.isWanted) return 'disconnected'
  if (facts.isOffline) return 'offline'
  if (facts.isMetered && !facts.usesMetered) return 'metered'
  return undefined
}

/** What Chromium tells of the connection; other browsers do not. */
interface NetworkInformation extends EventTarget {
  readonly type?: string
  readonly saveData?: boolean
}

/** Whether bytes cost: a mobile network, or a person who asked their browser to save data. Follows the browser. */
export function watchMetered(): Value<boolean> & Disposable {
  const connection = (globalThis.navigator as (Navigator & { connection?: NetworkInformation }) | undefined)?.connection
  const read = (): boolean => connection?.type === 'cellular' || connection?.saveData === true
  const value = createValue(read())
  const refresh = (): void => value.set(read())
  connection?.addEventListener?.('change', refresh)
  return { ...value, [Symbol.dispose]: () => connection?.removeEventListener?.('change', refresh) }
}
