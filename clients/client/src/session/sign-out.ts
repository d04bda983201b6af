import type { Device } from '../local/device.ts'
import type { Session } from './session.ts'

/** What happens to the person's data on this device: `keep` it, with unsent changes, for the next sign-in, or `wipe` it. */
export type SignOutData = 'keep' | 'wipe'

/**
 * Signs out on this device only. Ask `countUnsent` first: `wipe` removes unsent changes for good, so the person has to have said so.
 * Nothing is synced after this began.
 */
export async function signOut(session: Session, device: Device, data: SignOutData): Promise<void> {
  await device.release({ wipe: data === 'wipe' })
  await session.leave()
}
