import type { CommonPowerSyncDatabase } from '@powersync/common'
import { create } from 'zustand'
import { useMemo } from 'react'
import { showToast } from '../../components/toast.tsx'
import { recordMessages as words } from '../../messages/record.ts'
import { useDevice } from '../data/device-context.tsx'
import { applyCommand, CHANGES_MAX } from './apply-command.ts'
import { type Command, inverseOf } from './record-change.ts'
import { EMPTY_STACK, moveToDone, moveToUndone, pushDone, type UndoStack } from './undo-stack.ts'

/** An undo or redo that would write over somebody's later change; the person decides. */
export interface PendingUndo {
  readonly direction: 'undo' | 'redo'
  readonly command: Command
  /** Records that have changed since. */
  readonly records: readonly { readonly table: string; readonly id: string }[]
}

interface UndoState {
  /** The account whose changes the stack holds: another account starts with nothing. */
  readonly userId: string | undefined
  readonly stack: UndoStack
  readonly pending: PendingUndo | undefined
}

/** This tab's undo stack. */
export const useUndo = create<UndoState>(() => ({ userId: undefined, stack: EMPTY_STACK, pending: undefined }))

/** Changes records: at once on this device, undoable, sent by itself. */
export interface RecordWriter {
  /** Writes a command as one transaction. @returns false when it was refused because of its size; nothing was written */
  write(command: Command): Promise<boolean>
  undo(): Promise<void>
  redo(): Promise<void>
  /** Goes on with an undo or redo that asked. */
  confirmPending(): Promise<void>
  dropPending(): void
}

export function useRecordWriter(): RecordWriter {
  const { local, database } = useDevice()
  return useMemo(() => createRecordWriter(database, local.userId), [database, local.userId])
}

function createRecordWriter(database: CommonPowerSyncDatabase, userId: string): RecordWriter {
  if (useUndo.getState().userId !== userId) useUndo.setState({ userId, stack: EMPTY_STACK, pending: undefined })
  const update = (change: (stack: UndoStack) => UndoStack): void =>
    useUndo.setState(({ stack }) => ({ stack: change(stack) }))

  async function step(direction: 'undo' | 'redo'): Promise<void> {
    const { stack } = useUndo.getState()
    const command = direction === 'undo' ? stack.done.at(-1) : stack.undone.at(-1)
    if (!command) {
      showToast({ text: direction === 'undo' ? words.nothingToUndo : words.nothingToRedo })
      return
    }
    const outcome = await applyCommand(database, direction === 'undo' ? inverseOf(command) : command, true)
    if (outcome.kind === 'applied') finish(direction, command)
    else useUndo.setState({ pending: { direction, command, records: outcome.records } })
  }

  function finish(direction: 'undo' | 'redo', command: Command): void {
    update(direction === 'undo' ? moveToUndone : moveToDone)
    showToast({ text: direction === 'undo' ? words.undone(command.label) : words.redone(command.label) })
  }

  return {
    async write(command) {
      if (command.changes.length === 0) return true
      if (command.changes.length > CHANGES_MAX) {
        showToast({ text: words.tooMany(command.changes.length, CHANGES_MAX) })
        return false
      }
      await applyCommand(database, command, false)
      update((stack) => pushDone(stack, command))
      return true
    },
    undo: () => step('undo'),
    redo: () => step('redo'),
    async confirmPending() {
      const { pending } = useUndo.getState()
      if (!pending) return
      useUndo.setState({ pending: undefined })
      const command = pending.direction === 'undo' ? inverseOf(pending.command) : pending.command
      await applyCommand(database, command, false)
      finish(pending.direction, pending.command)
    },
    dropPending: () => useUndo.setState({ pending: undefined }),
  }
}
