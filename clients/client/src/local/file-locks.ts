/** Time in ms for other tabs to close a database before its removal. A frozen tab does not. */
const CLOSE_MS = 5_000

/** Another tab does not close the database. */
export class FileInUse extends Error {
  override readonly name = 'FileInUse'

  constructor(fileName: string) {
    super(`Another tab has the database ${fileName} open.`)
  }
}

export function locksHere(): LockManager | undefined {
  return (globalThis.navigator as Partial<Navigator> | undefined)?.locks
}

/** Name of the lock that every tab holds in shared mode while a file is open. */
export function useLockOf(fileName: string): string {
  return `holdfast-use-${fileName}`
}

/**
 * Runs `body` while no tab has the file open or can open it.
 *
 * @throws {FileInUse} if a tab does not close it in time
 */
export async function whileUnused(fileName: string, body: () => Promise<void>): Promise<void> {
  const locks = locksHere()
  // A Node process may have several devices with equal file names in different folders.
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
