import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { createContext, type JSX, type ReactNode, useContext, useEffect, useMemo } from 'react'
import { type StoredField, withFields } from './arrange-fields.ts'
import { type StoredLooks, withLooks } from './arrange-tables.ts'
import { FIELDS_TABLE } from './fields-table.ts'
import { readFieldLooks, readLooks, rememberFieldLooks, rememberLooks } from './remembered-looks.ts'
import { type TableInfo, tablesOf } from './tables.ts'

const Tables = createContext<readonly TableInfo[] | undefined>(undefined)

/** The local name of `holdfast.tables`. */
const LOOKS_TABLE = 'hf_tables'
const LOOKS_SQL = `select schema_name, table_name, label, icon, color, section, position, is_supporting from ${LOOKS_TABLE}`

const FIELDS_SQL = `select id, schema_name, table_name, field_name, label, help, translations, place, section, position, is_hidden from ${FIELDS_TABLE}`

/** Reads once for all below what the tables and their fields look like. */
export function TablesProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const schema = useSchema()
  const looks = useKept<StoredLooks>(LOOKS_TABLE, LOOKS_SQL, readLooks, rememberLooks)
  const fields = useKept<StoredField>(FIELDS_TABLE, FIELDS_SQL, readFieldLooks, rememberFieldLooks)
  const tables = useMemo(() => withFields(withLooks(tablesOf(schema), looks), fields), [schema, looks, fields])
  return <Tables value={tables}>{children}</Tables>
}

/**
 * The rows of a table of looks; until the database has answered, those of the last time. A server of an older version, or a project that does not expose
 * `holdfast`, keeps none.
 */
function useKept<Row extends object>(
  table: string,
  query: string,
  read: (userId: string) => readonly Row[],
  remember: (userId: string, rows: readonly Row[]) => void,
): readonly Row[] {
  const { userId } = useLocalDatabase()
  const areKept = useSchema().tables.some(({ name }) => name === table)
  const { rows, isLoading } = useRecords<Row>(areKept ? query : '')
  const last = useMemo(() => read(userId), [read, userId])
  // The next start is outside React.
  useEffect(() => {
    if (!isLoading) remember(userId, rows)
  }, [remember, userId, rows, isLoading])
  return areKept && isLoading ? last : rows
}

/** The project's tables that this person may see, in the project's order; they follow the server's schema. */
export function useTables(): readonly TableInfo[] {
  const tables = useContext(Tables)
  if (!tables) throw new Error('useTables needs a TablesProvider above it')
  return tables
}

/** A table by its local name, as the schema has it now. */
export function useTableInfo(name: string): TableInfo | undefined {
  return useTables().find((table) => table.name === name)
}
