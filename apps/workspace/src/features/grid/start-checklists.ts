import { type SchemaDescriptor, titleColumnOf } from '@holdfast/protocol'
import type { Checklist } from '../../lib/checklists/checklist.ts'
import { type Field, fieldsOf } from '../../lib/fields/field.ts'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { selectionMessages as words } from '../../messages/selection.ts'
import type { CellChanges } from './edit-changes.ts'
import type { GridRow } from './window-cache.ts'

/** How records of a table can get a checklist. */
export interface StartableChecklist {
  readonly checklist: Checklist
  /** The column of new records that links to the selected ones; `undefined`: the selected records are filled in themselves. */
  readonly place: string | undefined
  /** The column that new records are named by, where it is a text. */
  readonly title: string | undefined
}

/** A checklist to start: one of the published templates. */
export interface ChosenChecklist extends StartableChecklist {
  readonly template: string
  readonly name: string
}

/** Returns the checklists that can be started for records of a table: of the records, or of new records that link to them. */
export function startableFor(
  table: string,
  checklists: readonly Checklist[],
  schema: SchemaDescriptor,
): readonly StartableChecklist[] {
  return checklists.flatMap((checklist): readonly StartableChecklist[] => {
    const records = schema.tables.find(({ name }) => name === checklist.table)
    if (!records) return []
    if (checklist.table === table) return records.can.update ? [{ checklist, place: undefined, title: undefined }] : []
    const fields = fieldsOf(records, schema)
    const place = checklist.places.find((name) => fields.find((field) => field.name === name)?.link?.table === table)
    const title = textOf(fields, titleColumnOf(records.columns))
    // Other required fields are asked for when a user starts a checklist alone.
    const isComplete = fields.every(
      ({ name, isRequired }) => !isRequired || name === place || name === title || name === checklist.template,
    )
    return place !== undefined && records.can.insert && isComplete ? [{ checklist, place, title }] : []
  })
}

function textOf(fields: readonly Field[], name: string | undefined): string | undefined {
  return fields.find((field) => field.name === name && field.kind === 'text' && field.isEditable)?.name
}

/**
 * Returns the changes that start a checklist for records. Records that have one keep it.
 *
 * @param titleColumn - of the selected records
 */
export function startChanges(
  { checklist, place, title, template, name }: ChosenChecklist,
  rows: readonly GridRow[],
  titleColumn: string | undefined,
): Pick<CellChanges, 'changes' | 'refusals'> {
  const link = checklist.template
  if (place === undefined) {
    const free = rows.filter((row) => (row[link] ?? null) === null)
    return {
      changes: free.map(({ id }): RecordChange => ({
        kind: 'update',
        table: checklist.table,
        id,
        values: { [link]: template },
        before: { [link]: null },
      })),
      refusals: rows.slice(free.length).map(() => words.hasChecklist),
    }
  }
  const called = (row: GridRow): string =>
    [name, titleColumn === undefined ? null : row[titleColumn]]
      .filter((part) => part !== null && part !== '')
      .join(' · ')
  return {
    changes: rows.map((row): RecordChange => ({
      kind: 'insert',
      table: checklist.table,
      id: uuidV7(),
      values: { [link]: template, [place]: row.id, ...(title !== undefined && { [title]: called(row) }) },
    })),
    refusals: [],
  }
}
