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

/** A checklist's draft, on screen and on this device. */
export interface KeptDraft {
  readonly draft: RunDraft
  /** Returns the current draft, even before it is rendered. */
  latest(): RunDraft
  /** Changes the draft on screen and the stored one, which another tab may have changed elsewhere. */
  put(change: (draft: RunDraft) => RunDraft): void
  /** Resolves when all changes are stored. */
  kept(): Promise<unknown>
  /** Discards the draft, because the screen is about to close. */
  end(): void
}

/**
 * Keeps one draft for all tabs with the same checklist. Each tab stores its own changes and merges those of others; only the current question is per tab.
 *
 * @param stored - the draft on this device; merged whenever it changes
 */
export function useRunDraft(table: string, recordId: string, stored: StoredDraft, isReadOnly: boolean): KeptDraft {
  const { database } = useLocalDatabase()
  const [draft, setDraft] = useState(() => toRunDraft(stored))
  const latest = useRef(draft)
  /** Changes not stored yet, oldest first. */
  const waiting = useRef<readonly ((draft: RunDraft) => RunDraft)[]>([])
  /** The stored draft that the pending changes are based on. */
  const seen = useRef(stored?.field_values)
  /** Serializes writes, so that a later change is never overtaken. */
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
  // Other tabs are outside React.
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
