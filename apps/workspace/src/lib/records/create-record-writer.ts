import type { RejectedChanges } from '@holdfast/client'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { create } from 'zustand'
import { recordMessages as words } from '../../messages/record.ts'
import { applyCommand, type ApplyOutcome, CHANGES_MAX } from './apply-command.ts'
import { type Command, inverseOf, type NewCommand, type RecordChange, recordKey } from './record-change.ts'
import { isOfCommand, refusedRecords } from './refused-records.ts'
import { underWay } from '../data/typing.ts'
import { storeOrTell } from '../data/unstored.ts'
import { FULL, type NotStored, type Refused } from './not-stored.ts'
import { watchOf } from './watch-writes.ts'
import { EMPTY_STACK, moveToDone, moveToUndone, pushDone, type UndoStack } from './undo-stack.ts'

/** An undo or redo that would overwrite a later change; the user decides. */
export interface PendingUndo {
  readonly direction: 'undo' | 'redo'
  readonly command: Command
  /** Records changed since. */
  readonly records: readonly { readonly table: string; readonly id: string }[]
}

type Direction = 'undo' | 'redo'

/** Serializes writes, so that a slow judgement cannot overwrite a later value. */
function takeTurn<Result>(database: CommonPowerSyncDatabase, task: () => Promise<Result>): Promise<Result> {
  const result = (turns.get(database) ?? Promise.resolve()).then(task)
  turns.set(
    database,
    result.catch(() => undefined),
  )
  return result
}

interface UndoState {
  /** The account whose changes the stack holds; another account starts empty. */
  readonly userId: string | undefined
  readonly stack: UndoStack
  readonly pending: PendingUndo | undefined
}

/** This tab's undo stack. */
export const useUndo = create<UndoState>(() => ({ userId: undefined, stack: EMPTY_STACK, pending: undefined }))

/** The last write of each database by any writer in this tab. */
const turns = new WeakMap<CommonPowerSyncDatabase, Promise<unknown>>()

/** Changes records locally with undo; sync sends them. */
export interface RecordWriter {
  /** Writes a command. @returns false if it is too large or this device is full: nothing was written, and the user is told */
  write(command: NewCommand): Promise<boolean>
  /** Writes a command unless Postgres would certainly refuse it. @returns why it was not stored, for the caller to display; `undefined` on success */
  tryWrite(command: NewCommand): Promise<NotStored | undefined>
  /** The same, telling the user on failure. @returns whether it was stored */
  writeOrTell(command: NewCommand): Promise<boolean>
  /** Returns the command with the computed defaults of its new records, which {@link write} adds too. */
  complete(command: NewCommand): Promise<NewCommand>
  undo(): Promise<void>
  redo(): Promise<void>
  /** Continues an undo or redo after confirmation. */
  confirmPending(): Promise<void>
  dropPending(): void
}

/**
 * @param tell - shows a transient message
 * @param judge - returns why Postgres would certainly refuse changes, as far as known
 * @param complete - adds the computed defaults of new records
 */
export function createRecordWriter(
  database: CommonPowerSyncDatabase,
  rejected: RejectedChanges,
  userId: string,
  tell: (text: string) => void,
  judge: (changes: readonly RecordChange[]) => Promise<Refused | undefined>,
  complete: (command: NewCommand) => Promise<NewCommand>,
): RecordWriter {
  if (useUndo.getState().userId !== userId) useUndo.setState({ userId, stack: EMPTY_STACK, pending: undefined })
  const update = (change: (stack: UndoStack) => UndoStack): void =>
    useUndo.setState(({ stack }) => ({ stack: change(stack) }))

  const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => takeTurn(database, task)

  async function step(direction: Direction): Promise<void> {
    await storeOrTell(direction === 'undo' ? words.anUndo : words.aRedo, () => take(direction))
  }

  async function take(direction: Direction): Promise<void> {
    const { stack } = useUndo.getState()
    const command = direction === 'undo' ? stack.done.at(-1) : stack.undone.at(-1)
    if (!command) {
      tell(direction === 'undo' ? words.nothingToUndo : words.nothingToRedo)
      return
    }
    const outcome = await apply(direction, command, true)
    if (outcome.kind === 'changed_since')
      useUndo.setState({ pending: { direction, command, records: outcome.records } })
  }

  /** For changes the server rejected, no value is restored: their needs-attention entries are removed. */
  async function apply(direction: Direction, command: Command, isChecked: boolean): Promise<ApplyOutcome | Refused> {
    const without = refusedRecords(await rejected.list(), command.id)
    const next = direction === 'undo' ? inverseOf(command) : command
    const refused = await judge(next.changes.filter((change) => !without.has(recordKey(change))))
    if (refused) tell(words[direction === 'undo' ? 'notUndone' : 'notRedone'](command.label, refused.words))
    if (refused) return refused
    const outcome = await applyCommand(database, next, { isChecked, without, watch: watchOf(next) })
    if (outcome.kind === 'changed_since') return outcome
    if (without.size > 0) await rejected.withdraw(isOfCommand(command.id))
    update(direction === 'undo' ? moveToUndone : moveToDone)
    const left = { refused: without.size, already: outcome.already }
    tell(direction === 'undo' ? words.undone(command.label, left) : words.redone(command.label, left))
    return outcome
  }

  async function write(command: NewCommand): Promise<boolean> {
    if (command.changes.length === 0) return true
    if (command.changes.length > CHANGES_MAX) {
      tell(words.tooMany(command.changes.length, CHANGES_MAX))
      return false
    }
    const made = { ...command, id: crypto.randomUUID() }
    const options = { isChecked: false, watch: watchOf(made) }
    if (!(await storeOrTell(made.label, () => applyCommand(database, made, options)))) return false
    const { drafts: _drafts, files: _files, ...undoable } = made
    update((stack) => pushDone(stack, undoable))
    return true
  }

  const tryWrite = (command: NewCommand): Promise<NotStored | undefined> => {
    const completing = complete(command)
    const judging = completing.then(({ changes }) => judge(changes))
    return underWay(() => inTurn(async () => (await judging) ?? ((await write(await completing)) ? undefined : FULL)))
  }

  return {
    write: (command) => underWay(() => inTurn(async () => write(await complete(command)))),
    tryWrite,
    complete,
    async writeOrTell(command) {
      const notStored = await tryWrite(command)
      if (notStored?.kind === 'refused') tell(words.notDone(command.label, notStored.words))
      return notStored === undefined
    },
    undo: () => inTurn(() => step('undo')),
    redo: () => inTurn(() => step('redo')),
    async confirmPending() {
      const { pending } = useUndo.getState()
      if (!pending) return
      useUndo.setState({ pending: undefined })
      const label = pending.direction === 'undo' ? words.anUndo : words.aRedo
      await inTurn(() => storeOrTell(label, () => apply(pending.direction, pending.command, false)))
    },
    dropPending: () => useUndo.setState({ pending: undefined }),
  }
}
