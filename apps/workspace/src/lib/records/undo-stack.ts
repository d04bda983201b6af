import type { Command } from './record-change.ts'

/** Undo depth per tab. */
export const UNDO_DEPTH_MAX = 100

/** Undoable and redoable commands, newest last. */
export interface UndoStack {
  readonly done: readonly Command[]
  readonly undone: readonly Command[]
}

export const EMPTY_STACK: UndoStack = { done: [], undone: [] }

/** Adds a new command; clears redo. */
export function pushDone({ done }: UndoStack, command: Command): UndoStack {
  return { done: [...done, command].slice(-UNDO_DEPTH_MAX), undone: [] }
}

/** Moves the newest command to redo. */
export function moveToUndone({ done, undone }: UndoStack): UndoStack {
  const command = done.at(-1)
  return command ? { done: done.slice(0, -1), undone: [...undone, command] } : { done, undone }
}

/** Moves the newest undone command back. */
export function moveToDone({ done, undone }: UndoStack): UndoStack {
  const command = undone.at(-1)
  return command ? { done: [...done, command].slice(-UNDO_DEPTH_MAX), undone: undone.slice(0, -1) } : { done, undone }
}
