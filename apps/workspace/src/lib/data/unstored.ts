import { DeviceFull, toWriteFailure } from '@holdfast/client'
import { create } from 'zustand'
import { underWay } from './typing.ts'

interface UnstoredState {
  /** What the person did last that this device had no room for, such as "change of Title"; the shell says so. */
  readonly label: string | undefined
}

/** A change that was not stored because this device is full. */
export const useUnstored = create<UnstoredState>(() => ({ label: undefined }))

/**
 * Runs a write to the local database for a person.
 *
 * @param label - what it does, as the person is told of it
 * @returns false when this device has no room: nothing was stored, and the person is told
 */
export async function storeOrTell(label: string, write: () => Promise<unknown>): Promise<boolean> {
  try {
    await underWay(write)
  } catch (error) {
    const failure = await toWriteFailure(error)
    if (!(failure instanceof DeviceFull)) throw failure
    useUnstored.setState({ label })
    return false
  }
  if (useUnstored.getState().label !== undefined) useUnstored.setState({ label: undefined })
  return true
}
