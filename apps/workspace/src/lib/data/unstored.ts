import { DeviceFull, toWriteFailure } from '@holdfast/client'
import { create } from 'zustand'
import { underWay } from './typing.ts'

interface UnstoredState {
  /** What the person did last that this device had no room for, such as "change of Title"; the shell says so. */
  readonly label: string | undefined
  /** What the local database has not answered for {@link SILENT_AFTER_MS}: it may be stored yet. */
  readonly silent: string | undefined
}

/** A phone that takes in a large first sync may be busy for some seconds; one that hangs answers never. Milliseconds. */
const SILENT_AFTER_MS = 15_000

/** A change that was not stored because this device is full, or is not stored yet because its database does not answer. */
export const useUnstored = create<UnstoredState>(() => ({ label: undefined, silent: undefined }))

/**
 * Runs a write to the local database for a person.
 *
 * @param label - what it does, as the person is told of it
 * @returns false when this device has no room: nothing was stored, and the person is told
 */
export async function storeOrTell(label: string, write: () => Promise<unknown>): Promise<boolean> {
  const telling = setTimeout(() => useUnstored.setState({ silent: label }), SILENT_AFTER_MS)
  try {
    await underWay(write)
  } catch (error) {
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
