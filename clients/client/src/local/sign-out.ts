import type { Device } from './device.ts'
import type { Session } from '../session/session.ts'

/**
 * What happens to the user's data on this device: `keep` it, with unsent changes, for the next sign-in, or `wipe` it. Kept data is encrypted if the client has
 * `databaseBytes` and `canLock` is true.
 */
export type SignOutData = 'keep' | 'wipe'

export interface SignOutOptions {
  /** The user confirmed losing unsent changes. Only relevant for `wipe`. Default: false. */
  readonly discardUnsent?: boolean
}

/**
 * Signs out on this device only. Stops syncing first.
 *
 * @throws {UnsentChanges} if `wipe` would lose changes without `discardUnsent`
 * @throws {DataRemains} if the user is signed out, but not everything could be removed
 * @throws {DataNotLocked} if the user is signed out, but the kept data could not be encrypted
 */
export async function signOut(
  session: Session,
  device: Device,
  data: SignOutData,
  options: SignOutOptions = {},
): Promise<void> {
  const remains = await device.release({ wipe: data === 'wipe', discardUnsent: options.discardUnsent === true })
  await session.leave()
  if (remains) throw remains
  await device.finishLocks()
}
