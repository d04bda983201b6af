import type { Device } from './device.ts'
import type { Session } from '../session/session.ts'

/** What happens to the person's data on this device: `keep` it, with unsent changes, for the next sign-in, or `wipe` it. */
export type SignOutData = 'keep' | 'wipe'

export interface SignOutOptions {
  /** The person has confirmed that changes which are not on the server may be given up. Only `wipe` asks. Default: no. */
  readonly discardUnsent?: boolean
}

/**
 * Signs out on this device only. Nothing is synced after this began.
 *
 * @throws {UnsentChanges} when `wipe` would lose changes and `discardUnsent` is not given
 * @throws {DataRemains} when the person is signed out, and not everything could be removed
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
}
