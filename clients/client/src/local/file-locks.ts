/** How long other tabs may take to close a database that is to be removed, in milliseconds. One that is frozen does not. */
const CLOSE_MS = 5_000

/** A database is open in another tab that does not close it. */
export class FileInUse extends Error {
  override readonly name = 'FileInUse'

  constructor(fileName: string) {
    super(`Another tab has the database ${fileName} open.`)
  }
}

export function locksHere(): LockManager | undefined {
  return (globalThis.navigator as Partial<Navigator> | undefined)?.locks
}

/** The lock that every tab holds, shared, while it has a file open. */
export function useLockOf(fileName: string): string {
  return `holdfast-use-${fileName}`
}

/**
 * Runs while no tab has a file open, and none can open it.
 *
 * @throws {FileInUse} when a tab does not close it in time
 */
export async function whileUnused(fileName: string, body: () => Promise<void>): Promise<void> {
  const locks = locksHere()
  // A Node process has several devices with files of one name, in folders of their own.
  if (!locks || typeof window === 'undefined') return body()
  let isRunning = false
  const tooLong = AbortSignal.timeout(CLOSE_MS)
  try {
    await locks.request(useLockOf(fileName), { signal: tooLong }, () => {
      isRunning = true
      return body()
    })
  } catch (error) {
    if (isRunning || !tooLong.aborted) throw error
    throw new FileInUse(fileName)
  }
}
