import type { SchemaDescriptor } from '@holdfast/protocol'
import { titleColumnOf } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'

/** The fields of a record by where they stand. */
export interface RecordSections {
  readonly main: readonly Field[]
  /** People, teams and days: who and when. */
  readonly beside: readonly Field[]
  /** Kept by the database: computed values first, then what every record has. */
  readonly kept: readonly Field[]
}

const TEAMS_TABLE = 'hf_teams'

/** In each part in the order that the fields have. */
export function sectionsOf(fields: readonly Field[], schema: SchemaDescriptor): RecordSections {
  const people = schema.tables.find(
    (table) => titleColumnOf(table) !== undefined && table.columns.some(({ name }) => name === 'user_id'),
  )?.name
  const isComputed = ({ column }: Field): boolean => column.generated
  const isWhoOrWhen = ({ kind, link }: Field): boolean =>
    kind === 'date' ||
    kind === 'datetime' ||
    link?.table === TEAMS_TABLE ||
    (link !== undefined && link.table === people)
  const own = fields.filter((field) => !field.isSystem && !isComputed(field))
  return {
    main: own.filter((field) => field.isTitle || !isWhoOrWhen(field)),
    beside: own.filter((field) => !field.isTitle && isWhoOrWhen(field)),
    kept: [
      ...fields.filter((field) => !field.isSystem && isComputed(field)),
      ...fields.filter(({ isSystem }) => isSystem),
    ],
  }
}

/** Whether a field needs a line of its own where there is little room. */
export function isWide({ kind, isTitle }: Field): boolean {
  return isTitle || kind === 'long_text' || kind === 'json' || kind === 'url'
}
