import { delay, HoldfastError } from '@holdfast/foundation'
import { REOPEN } from '../lifetime.ts'
import { askForReset, endReset, isResetDone, type ProjectPreparation } from '../project/reset-request.ts'
import { isAlive, type RunningServer } from '../running-file.ts'
import { VERSION } from '../version.ts'

/** Milliseconds between two looks whether it is done. */
const POLL_MS = 100

/**
 * Has a running server reset its database: it closes, opens again on a new one, and keeps its address and keys. As long as it works at it this waits.
 *
 * @throws {HoldfastError} `server_other_release`, `reset_failed`; why the server could not open again
 */
export async function resetRunning(
  running: RunningServer,
  dataDir: string,
  request: ProjectPreparation,
): Promise<void> {
  // An earlier release would end by the signal.
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
      // It may have said why between the two looks.
      if (isResetDone(dataDir)) return
      endReset(dataDir)
      throw new HoldfastError('reset_failed', 500, 'The server ended before the database was reset.', {
        hint: 'Its output says why.',
      })
    }
    await delay(POLL_MS)
  }
}
