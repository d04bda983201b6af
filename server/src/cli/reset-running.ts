import { delay, HoldfastError } from '@holdfast/foundation'
import { REOPEN } from '../lifetime.ts'
import { askForReset, endReset, isResetDone, type ProjectPreparation } from '../project/reset-request.ts'
import { isAlive, type RunningServer } from '../running-file.ts'
import { VERSION } from '../version.ts'

/** Poll interval in ms. */
const POLL_MS = 100

/**
 * Makes a running server reset its database: it closes and reopens with a new one, keeping URL and keys. Waits for completion.
 *
 * @throws {HoldfastError} `server_other_release`, `reset_failed`; the reason why the server could not reopen
 */
export async function resetRunning(
  running: RunningServer,
  dataDir: string,
  request: ProjectPreparation,
): Promise<void> {
  // The signal would end an earlier release.
  if (running.version !== VERSION) {
    throw new HoldfastError(
      'server_other_release',
      500,
      `The server is of release ${running.version}, this is ${VERSION}.`,
      {
        hint: 'Stop it with "holdfast stop", reset, and start it again.',
      },
    )
  }
  askForReset(dataDir, request)
  process.kill(running.pid, REOPEN)
  while (!isResetDone(dataDir)) {
    if (!isAlive(running)) {
      // It may have reported a result between two polls.
      if (isResetDone(dataDir)) return
      endReset(dataDir)
      throw new HoldfastError('reset_failed', 500, 'The server ended before the database was reset.', {
        hint: 'Its output says why.',
      })
    }
    await delay(POLL_MS)
  }
}
