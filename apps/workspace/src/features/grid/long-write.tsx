import type { JSX } from 'react'
import { create } from 'zustand'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Progress } from '../../components/progress.tsx'
import { showToast } from '../../components/toast.tsx'
import { WriteCancelled } from '../../lib/data/unstored.ts'
import type { Command } from '../../lib/records/record-change.ts'
import { type WriteWatch, watchWrites } from '../../lib/records/watch-writes.ts'
import { commonMessages } from '../../messages/common.ts'
import { selectionMessages as words } from '../../messages/selection.ts'

/** Commands with fewer changes are written before a dialog could be read. */
const CHANGES_MIN = 500
/** Time in ms before the dialog opens. */
const SHOWN_AFTER_MS = 700
/** Time in ms between two updates of it. */
const UPDATE_MS = 150

interface LongWrite {
  readonly label: string
  readonly done: number
  readonly total: number
  cancel(): void
}

const useLongWrite = create<{ readonly write: LongWrite | undefined }>(() => ({ write: undefined }))

/** Shows the progress of long writes of this tab, of undoing them too. */
export function watchLongWrites(): void {
  watchWrites(watch)
}

function watch({ label, changes }: Command): WriteWatch | undefined {
  if (changes.length < CHANGES_MIN) return undefined
  let isCancelled = false
  let nextMs = performance.now() + SHOWN_AFTER_MS
  const cancel = (): void => void (isCancelled = true)
  return {
    step(done) {
      if (isCancelled) throw new WriteCancelled()
      const nowMs = performance.now()
      if (nowMs < nextMs) return
      nextMs = nowMs + UPDATE_MS
      useLongWrite.setState({ write: { label, done, total: changes.length, cancel } })
    },
    end() {
      useLongWrite.setState({ write: undefined })
      if (isCancelled) showToast({ text: words.cancelled })
    },
  }
}

/** The progress of a long write, with a button that rolls it back. */
export function LongWriteDialog(): JSX.Element | null {
  const { write } = useLongWrite()
  if (!write) return null
  const { label, done, total, cancel } = write
  return (
    <Dialog
      title={label}
      isOpen
      role="alertdialog"
      onClose={cancel}
      actions={<Button onPress={cancel}>{commonMessages.cancel}</Button>}
    >
      <Progress label={words.writing} value={done} total={total} valueText={words.written(done, total)} />
    </Dialog>
  )
}
