import type { Field, FieldValue } from '../fields/field.ts'
import { momentOf, toStoredMoment } from '../fields/dates.ts'

/** A local history row. */
export interface HistoryRow {
  readonly id: string
  readonly kind: string
  readonly at: string
  readonly actor_id: string | null
  readonly actor_role: string
  /** JSON: per field, `from` and `to` as text. */
  readonly changes: string
}

/** One field of a change. */
export interface FieldChange {
  readonly field: Field
  readonly from: FieldValue
  readonly to: FieldValue
  /** The value was too long to be stored. */
  readonly isOmitted: boolean
}

interface StoredChange {
  readonly from?: string | null
  readonly to?: string | null
  readonly omitted?: boolean
}

/** Returns changed fields with displayable values, except removed and database-maintained fields. */
export function fieldChanges(row: Pick<HistoryRow, 'changes'>, fields: readonly Field[]): readonly FieldChange[] {
  const stored = parseChanges(row.changes)
  // Keyed by Postgres column names, as written by a trigger.
  const storedName = ({ column, name }: Field): string => column.column ?? name
  return fields
    .filter((field) => !field.isSystem && Object.hasOwn(stored, storedName(field)))
    .map((field) => {
      const change = stored[storedName(field)] ?? {}
      return {
        field,
        from: toFieldValue(field, change.from ?? null),
        to: toFieldValue(field, change.to ?? null),
        isOmitted: change.omitted === true,
      }
    })
}

function parseChanges(text: string): Readonly<Record<string, StoredChange>> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? (value as Record<string, StoredChange>) : {}
}

/** Converts Postgres's text of a value to its local form. */
function toFieldValue({ kind, column }: Field, text: string | null): FieldValue {
  if (text === null) return null
  if (kind === 'boolean') return text === 'true' ? 1 : 0
  if (kind === 'datetime') {
    const at = momentOf(text)
    return at === undefined ? text : toStoredMoment(at, column.type.startsWith('timestamp with time zone'))
  }
  return column.local === 'text' ? text : Number(text)
}
