import type { Field, FieldValue } from '../fields/field.ts'
import { momentOf, toStoredMoment } from '../fields/dates.ts'

/** A row of the history as the local database has it. */
export interface HistoryRow {
  readonly id: string
  readonly kind: string
  readonly at: string
  readonly actor_id: string | null
  readonly actor_role: string
  /** JSON: by field, `from` and `to` as text. */
  readonly changes: string
}

/** One field of a change. */
export interface FieldChange {
  readonly field: Field
  readonly from: FieldValue
  readonly to: FieldValue
  /** The value was too long to be kept. */
  readonly isOmitted: boolean
}

interface StoredChange {
  readonly from?: string | null
  readonly to?: string | null
  readonly omitted?: boolean
}

/**
 * The fields that a change gave another value, as the screens show values. Fields that the table no longer has, or that the database keeps by
 * itself, are left out.
 */
export function fieldChanges(row: Pick<HistoryRow, 'changes'>, fields: readonly Field[]): readonly FieldChange[] {
  const stored = parseChanges(row.changes)
  // By Postgres's names of the columns, as a trigger wrote it there.
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

/** Postgres's text of a value in the form in which the local database holds it. */
function toFieldValue({ kind, column }: Field, text: string | null): FieldValue {
  if (text === null) return null
  if (kind === 'boolean') return text === 'true' ? 1 : 0
  if (kind === 'datetime') {
    const at = momentOf(text)
    return at === undefined ? text : toStoredMoment(at, column.type.startsWith('timestamp with time zone'))
  }
  return column.local === 'text' ? text : Number(text)
}
