import type { HoldfastError } from '@holdfast/foundation'

/**
 * Watches the session that a token names, until disposed.
 *
 * @param onEnded - called once, when the person has signed out, or their account is banned or deleted
 */
export type WatchSession = (
  claims: Readonly<Record<string, unknown>>,
  onEnded: (reason: HoldfastError) => void,
) => Disposable
