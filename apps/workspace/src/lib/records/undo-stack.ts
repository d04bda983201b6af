import type { Command } from './record-change.ts'

/** How many commands can be taken back in one tab. */
export const UNDO_DEPTH_MAX = 100

/** What can be taken back and what can be made again, newest last. */
export interface UndoStack {
  readonly done: readonly Command[]
  readonly undone: readonly Command[]
}

export const EMPTY_STACK: UndoStack = { done: [], undone: [] }

/** After a command was made: nothing that was undone before can be made again. */
export function pushDone({ done }: UndoStack, command: Command): UndoStack {
  return { done: [...done, command].slice(-UNDO_DEPTH_MAX), undone: [] }
}

/** After the newest command was taken back. */
export function moveToUndone({ done, undone }: UndoStack): UndoStack {
  const command = done.at(-1)
  return command ? { done: done.slice(0, -1), undone: [...undone, command] } : { done, undone }
}

/** After the newest undone command was made again. */
export function moveToDone({ done, undone }: UndoStack): UndoStack {
  const command = undone.at(-1)
  return command ? { done: [...done, command].slice(-UNDO_DEPTH_MAX), undone: undone.slice(0, -1) } : { done, undone }
}
