import { errorMessage, HoldfastError } from '@holdfast/foundation'

/** Result of a check. */
export interface Finding {
  /** `problem`: broken, or exposed to unauthorized users. `warning`: will fail later, or for some users. */
  readonly level: 'ok' | 'warning' | 'problem'
  /** Subject in a word or two. */
  readonly of: string
  readonly text: string
  /** What to do. */
  readonly hint?: string | undefined
}

export const ok = (of: string, text: string): Finding => ({ level: 'ok', of, text })
export const warning = (of: string, text: string, hint?: string): Finding => ({ level: 'warning', of, text, hint })
export const problem = (of: string, text: string, hint?: string): Finding => ({ level: 'problem', of, text, hint })

/** Converts a check's own failure to a finding. */
export function failure(of: string, error: unknown): Finding {
  if (!(error instanceof HoldfastError)) return problem(of, errorMessage(error), hintOf(error as NodeJS.ErrnoException))
  const text = [error.message, error.detail].filter((one) => one !== undefined).join(' ')
  return problem(of, text, error.hint)
}

function hintOf({ code }: NodeJS.ErrnoException): string | undefined {
  if (code === 'EACCES' || code === 'EPERM') return 'Check who owns it, or run the command as its owner.'
  return code === 'ENOTDIR' ? 'Choose another folder with --data-dir.' : undefined
}
