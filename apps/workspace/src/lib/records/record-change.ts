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

/** Changes that are made, and undone, together: one local transaction, one transaction on the server. */
export interface Command {
  /** For "Undo …": `Change Due in 3 actions`. */
  readonly label: string
  readonly changes: readonly RecordChange[]
}

/** What takes a command back: every change's opposite, in reverse order. The inverse of the inverse is the command. */
export function inverseOf({ label, changes }: Command): Command {
  return { label, changes: changes.toReversed().map(invert) }
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
