import type { SchemaDescriptor } from '@holdfast/protocol'
import type { TableInfo } from './tables.ts'
import { newTableMessages as words } from '../../messages/new-table.ts'

/** Local name of `holdfast.teams`. */
export const TEAMS_TABLE = 'hf_teams'

/** Returns the tables that a column can link to: the project's tables with UUID ids, and teams. */
export function linkTables(
  tables: readonly TableInfo[],
  schema: SchemaDescriptor,
): readonly { readonly name: string; readonly label: string }[] {
  const own = tables.filter(
    ({ descriptor: { schema: of, key, columns } }) =>
      of === 'public' &&
      (key ?? ['id']).join() === 'id' &&
      columns.some(({ name, type }) => name === 'id' && type === 'uuid'),
  )
  const teams = schema.tables.some(({ name }) => name === TEAMS_TABLE)
  return [
    ...own.map(({ name, label }) => ({ name, label })),
    ...(teams ? [{ name: TEAMS_TABLE, label: words.teams }] : []),
  ]
}
