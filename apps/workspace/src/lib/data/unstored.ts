import { DeviceFull, toWriteFailure } from '@holdfast/client'
import { create } from 'zustand'
import { underWay } from './typing.ts'

interface UnstoredState {
  /** The user's last action that did not fit on this device, such as "change of Title"; shown by the shell. */
  readonly label: string | undefined
  /** A write without a response for {@link SILENT_AFTER_MS}, which may still succeed. */
  readonly silent: string | undefined
}

/** Timeout in ms: a large first sync may block for some seconds, while a hung worker never responds. */
const SILENT_AFTER_MS = 15_000

/** A change not stored because the device is full, or not yet because its database does not respond. */
export const useUnstored = create<UnstoredState>(() => ({ label: undefined, silent: undefined }))

/** The user cancelled a write, which was rolled back. */
export class WriteCancelled extends Error {}

/**
 * Runs a local write for the user.
 *
 * @param label - describes it to the user
 * @returns false if the device is full, or the user has cancelled: nothing was stored, and the user is told
 */
export async function storeOrTell(label: string, write: () => Promise<unknown>): Promise<boolean> {
  const telling = setTimeout(() => useUnstored.setState({ silent: label }), SILENT_AFTER_MS)
  try {
    await underWay(write)
  } catch (error) {
    if (error instanceof WriteCancelled) return false
    const failure = await toWriteFailure(error)
    if (!(failure instanceof DeviceFull)) throw failure
    useUnstored.setState({ label })
    return false
  } finally {
    clearTimeout(telling)
    if (useUnstored.getState().silent !== undefined) useUnstored.setState({ silent: undefined })
  }
  if (useUnstored.getState().label !== undefined) useUnstored.setState({ label: undefined })
  return true
}
