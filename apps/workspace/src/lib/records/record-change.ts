import type { FieldValue } from '../fields/field.ts'

export type RecordValues = Readonly<Record<string, FieldValue>>

/** One write to one record. Each knows enough to be undone. */
export type RecordChange =
  | { readonly kind: 'insert'; readonly table: string; readonly id: string; readonly values: RecordValues }
  /** `before` has the same columns as `values`. */
  | {
      readonly kind: 'update'
      readonly table: string
      readonly id: string
      readonly values: RecordValues
      readonly before: RecordValues
    }
  /** `values`: the whole record as it was. */
  | { readonly kind: 'delete'; readonly table: string; readonly id: string; readonly values: RecordValues }

/** A statement about what only this device keeps. */
export interface LocalStatement {
  readonly sql: string
  readonly parameters: readonly FieldValue[]
}

/** Changes that are made, and undone, together: one local transaction. */
export interface NewCommand {
  /** For "Undo …": `Change Due in 3 actions`. */
  readonly label: string
  readonly changes: readonly RecordChange[]
  /** The server judges each record for itself, as of a paste. Default: one transaction on the server. */
  readonly byRecord?: boolean
  /** What becomes of drafts by it, in the same transaction: neither is there without the other when the page ends in the middle. Not undone. */
  readonly drafts?: readonly LocalStatement[]
}

export interface Command extends NewCommand {
  /** Travels with the queued operations, so that they are known again in needs attention. */
  readonly id: string
}

/** What takes a command back: every change's opposite, in reverse order. The inverse of the inverse is the command. */
export function inverseOf(command: Command): Command {
  return { ...command, changes: command.changes.toReversed().map(invert) }
}

/** A record, by table and id. */
export function recordKey({ table, id }: { readonly table: string; readonly id: string }): string {
  return `${table}\0${id}`
}

function invert(change: RecordChange): RecordChange {
  switch (change.kind) {
    case 'insert':
      return { ...change, kind: 'delete' }
    case 'delete':
      return { ...change, kind: 'insert' }
    case 'update':
      return { ...change, values: change.before, before: change.values }
    default:
      return change satisfies never
  }
}
