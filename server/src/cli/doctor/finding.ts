import { errorMessage, HoldfastError } from '@holdfast/foundation'

/** One thing that was looked at. */
export interface Finding {
  /** `problem`: something does not work, or is open to those who should not have it. `warning`: it will not work for long, or not for everybody. */
  readonly level: 'ok' | 'warning' | 'problem'
  /** What was looked at, a word or two. */
  readonly of: string
  readonly text: string
  /** What to do. */
  readonly hint?: string | undefined
}

export const ok = (of: string, text: string): Finding => ({ level: 'ok', of, text })
export const warning = (of: string, text: string, hint?: string): Finding => ({ level: 'warning', of, text, hint })
export const problem = (of: string, text: string, hint?: string): Finding => ({ level: 'problem', of, text, hint })

/** What a check that failed itself found out. */
export function failure(of: string, error: unknown): Finding {
  if (!(error instanceof HoldfastError)) return problem(of, errorMessage(error), hintOf(error as NodeJS.ErrnoException))
  const text = [error.message, error.detail].filter((one) => one !== undefined).join(' ')
  return problem(of, text, error.hint)
}

function hintOf({ code }: NodeJS.ErrnoException): string | undefined {
  if (code === 'EACCES' || code === 'EPERM') return 'Check who owns it, or run the command as its owner.'
  return code === 'ENOTDIR' ? 'Choose another folder with --data-dir.' : undefined
}
