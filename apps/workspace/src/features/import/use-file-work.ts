import { useEffect, useRef } from 'react'
import { FileProblem } from '../../lib/exchange/opened-file.ts'
import { importMessages as words } from '../../messages/import.ts'

/**
 * Runs work on a chosen file. New work replaces running work, and leaving the screen stops it.
 *
 * @param onProblem - called with a message for the user if the file cannot be read
 */
export function useFileWork(onProblem: (problem: string) => void): {
  readonly begin: () => AbortSignal
  readonly guard: (signal: AbortSignal, work: Promise<unknown>) => void
} {
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  return {
    begin() {
      abort.current?.abort()
      abort.current = new AbortController()
      return abort.current.signal
    },
    guard(signal, work) {
      work.catch((error: unknown) => {
        if (signal.aborted) return
        console.warn('The work on a file stopped.', error)
        onProblem(error instanceof FileProblem ? words.problems[error.code] : words.unreadable)
      })
    },
  }
}
