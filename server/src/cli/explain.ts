import { HoldfastError, errorCause } from '@holdfast/foundation'

/** System call error codes with meaning and advice. */
const REFUSALS: Readonly<Record<string, readonly [meaning: string, hint: string]>> = {
  EACCES: ['permission denied', 'Check who owns it, or run the command as its owner.'],
  EPERM: ['not permitted', 'Check who owns it, or run the command as its owner.'],
  EROFS: ['the file system is read-only', 'Run the command in a folder that can be written to.'],
  ENOSPC: ['the disk is full', 'Free some space.'],
  EDQUOT: ['the quota of this user is used up', 'Free some space.'],
  ENOTDIR: ['a part of it is no folder', 'Move the file that is in the way.'],
  EEXIST: ['it exists already', 'Move what is in the way.'],
  EISDIR: ['it is a folder', 'Move what is in the way.'],
  ENAMETOOLONG: ['the name is too long', 'Choose a shorter one.'],
}

/** Returns the terminal message for an error; stack traces only for bugs. */
export function explain(error: unknown): string {
  if (error instanceof HoldfastError) {
    const more = [error.detail, error.hint].filter((text) => text !== undefined)
    return `\n${[error.message, ...more].join('\n')}\n`
  }
  const refused = explainRefusal(error)
  if (refused !== undefined) return `\n${refused}\n`
  return `\nThis is a bug of Holdfast: ${errorCause(error)}\n`
}

/** Explains environment errors, such as a foreign folder or full disk, without a stack trace. */
function explainRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  const refusal = REFUSALS[code]
  if (refusal === undefined || path === undefined) return undefined
  const [meaning, hint] = refusal
  return `${path}: ${meaning} (${code}, ${syscall}).\n${hint}`
}
