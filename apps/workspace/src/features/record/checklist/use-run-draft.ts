import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import {
  changeRunDraft,
  EMPTY_DRAFT,
  readRunDraft,
  type RunDraft,
  type RunDraftRow,
  toRunDraft,
} from '../../../lib/checklists/run-draft.ts'
import { storeOrTell } from '../../../lib/data/unstored.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'

/** `undefined`: there is none. */
export type StoredDraft = RunDraftRow | undefined

/** The draft of a checklist, on the screen and on this device. */
export interface KeptDraft {
  readonly draft: RunDraft
  /** As it is now, also before it is drawn. */
  latest(): RunDraft
  /** Changes the draft on the screen, and the stored one, in which another tab may have changed something else. */
  put(change: (draft: RunDraft) => RunDraft): void
  /** All that was put is stored. */
  kept(): Promise<unknown>
  /** Nothing of it is left; the screen is about to go. */
  end(): void
}

/**
 * Several tabs may have the same checklist open: they have one draft. Each tab stores what was changed in it and takes in what others have
 * stored; only the question that is shown is its own.
 *
 * @param stored - the draft that is on this device now: when it changes, it is taken in
 */
export function useRunDraft(table: string, recordId: string, stored: StoredDraft, isReadOnly: boolean): KeptDraft {
  const { database } = useLocalDatabase()
  const [draft, setDraft] = useState(() => toRunDraft(stored))
  const latest = useRef(draft)
  /** Changes that are not stored yet, the oldest first. */
  const waiting = useRef<readonly ((draft: RunDraft) => RunDraft)[]>([])
  /** The stored draft that is on the screen, under what is waiting. */
  const seen = useRef(stored?.field_values)
  /** One after the other: a draft that is typed later is never overtaken. */
  const working = useRef<Promise<unknown>>(Promise.resolve())
  const show = (next: RunDraft): void => {
    latest.current = next
    setDraft(next)
  }
  const withWaiting = (of: RunDraft): RunDraft => {
    const all = waiting.current.reduce((one, change) => change(one), of)
    return { ...all, at: latest.current.at }
  }
  const store = async (): Promise<void> => {
    if (waiting.current.length === 0) return
    await storeOrTell(words.draftKept, async () => {
      let count = 0
      const now = await changeRunDraft(database, table, recordId, (of) => {
        count = waiting.current.length
        return withWaiting(of)
      })
      waiting.current = waiting.current.slice(count)
      seen.current = JSON.stringify(now)
      show(withWaiting(now))
    })
  }
  const takeIn = useEffectEvent((changed: string | undefined) => {
    if (changed === seen.current) return
    seen.current = changed
    working.current = working.current.then(async () => {
      try {
        show(withWaiting(await readRunDraft(database, recordId)))
      } catch (error) {
        console.warn('The draft of another tab was not read.', error)
      }
    })
  })
  // Other tabs are outside of React.
  useEffect(() => takeIn(stored?.field_values), [stored?.field_values])
  return {
    draft,
    latest: () => latest.current,
    kept: () => working.current,
    end: () => void (latest.current = EMPTY_DRAFT),
    put(change) {
      show(change(latest.current))
      if (isReadOnly) return
      waiting.current = [...waiting.current, change]
      working.current = working.current.then(store)
    },
  }
}
