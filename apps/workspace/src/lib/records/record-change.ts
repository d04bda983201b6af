import type { Transaction } from '@powersync/common'
import type { FieldValue } from '../fields/field.ts'

export type RecordValues = Readonly<Record<string, FieldValue>>

/** One reversible write to one record. */
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
  /** `values`: the whole previous record. */
  | { readonly kind: 'delete'; readonly table: string; readonly id: string; readonly values: RecordValues }

/** A statement on local-only data. */
export interface LocalStatement {
  readonly sql: string
  readonly parameters: readonly FieldValue[]
}

/** Changes made and undone together in one local transaction. */
export interface NewCommand {
  /** For "Undo …": `Change Due in 3 actions`. */
  readonly label: string
  readonly changes: readonly RecordChange[]
  /** Whether the server judges each record separately, as for a paste. Default: one transaction. */
  readonly byRecord?: boolean
  /** Draft changes in the same transaction, so that neither exists without the other after a crash. Not undone. */
  readonly drafts?: readonly LocalStatement[]
  /** Adds files to new records in the same transaction: a rule may require one. Not redone. */
  readonly files?: (tx: Transaction) => Promise<void>
}

export interface Command extends NewCommand {
  /** Attached to queued operations, to recognize them in needs attention. */
  readonly id: string
}

/** Returns the inverse command: opposite changes in reverse order. Self-inverse. */
export function inverseOf(command: Command): Command {
  return { ...command, changes: command.changes.toReversed().map(invert) }
}

/** Key of a record by table and id. */
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
