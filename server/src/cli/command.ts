import { readFileSync } from 'node:fs'
import { HoldfastError } from '@holdfast/foundation'

/** What a command gets. */
export interface CommandInput {
  /** What follows the command's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** For machines when `--json`, else for people. */
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** The config file's text, if there is one, without the byte order mark that editors of Windows put before it. */
export function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new HoldfastError('config_file_invalid', 500, `The config file ${path} cannot be read.`, { cause: error })
  }
}
