import { toError } from '@holdfast/protocol'
import { RecordGone } from '@holdfast/client'
import { useState } from 'react'
import type { ShownError } from '../error-notice.tsx'
import { showToast } from '../toast.tsx'
import { syncMessages as words } from '../../messages/sync.ts'

export interface Decisions {
  readonly isBusy: boolean
  readonly error: ShownError | Error | undefined
  /**
   * Decides changes one by one. A failed change stays in the list, and its error is shown.
   *
   * @param done the message for the number of changes that were decided
   */
  decide(acts: readonly (() => Promise<boolean>)[], done: (count: number) => string): Promise<void>
}

/** @param onDone - called when all succeeded; if one failed, typed text stays */
export function useDecision(onDone: () => void): Decisions {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ShownError | Error>()
  return {
    isBusy,
    error,
    async decide(acts, done) {
      setBusy(true)
      setError(undefined)
      let decided = 0
      const failures: unknown[] = []
      for (const act of acts) {
        try {
          if (await act()) decided += 1
        } catch (cause) {
          failures.push(cause)
        }
      }
      setBusy(false)
      const [first] = failures
      if (first === undefined) onDone()
      if (first !== undefined) setError(shownFailure(first, failures.length))
      if (decided > 0 || first === undefined) showToast({ text: decided > 0 ? done(decided) : words.gone })
    },
  }
}

function shownFailure(cause: unknown, count: number): ShownError | Error {
  if (!(cause instanceof RecordGone)) return toError(cause)
  return {
    code: 'HF-SYNC-NOROW',
    title: count === 1 ? words.recordGone : words.recordsGone(count),
    detail: words.recordGoneDetail,
    technical: cause.message,
  }
}
