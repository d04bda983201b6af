import { chmodSync, statSync } from 'node:fs'
import { errorMessage, type Logger } from '@holdfast/foundation'

/** Permission bits of everyone but the owner. */
const OTHERS = 0o077

/**
 * Restricts a secrets file to its owner if a copy, backup or umask has opened it, and logs a warning because it may have been read. No-op if the file does not
 * exist or the system has no file modes.
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
