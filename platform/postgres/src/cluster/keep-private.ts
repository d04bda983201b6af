import { chmodSync, statSync } from 'node:fs'
import { errorMessage, type Logger } from '@holdfast/foundation'

/** What others than the owner may do with a file. */
const OTHERS = 0o077

/**
 * Makes a file of secrets the owner's alone, where a copy, a backup or an umask has opened it, and says so: whoever could read it may have.
 * Does nothing when there is none, or where files have no modes.
 */
export function keepPrivate(path: string, logger: Logger): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || process.platform === 'win32' || (found.mode & OTHERS) === 0) return
  const mode = (found.mode & 0o777).toString(8)
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    logger.log('warn', `${path} is open to other users of this machine (mode ${mode}), and that cannot be changed`, {
      error: errorMessage(error),
    })
    return
  }
  logger.log('warn', `${path} was open to other users of this machine (mode ${mode}); now only its owner can read it`)
}
