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
  if (!(error instanceof HoldfastError)) return problem(of, errorMessage(error))
  const text = [error.message, error.detail].filter((one) => one !== undefined).join(' ')
  return problem(of, text, error.hint)
}
