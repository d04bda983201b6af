import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { createContext, type JSX, type ReactNode, useContext, useEffect, useMemo } from 'react'
import { type StoredLooks, withLooks } from './arrange-tables.ts'
import { readLooks, rememberLooks } from './remembered-looks.ts'
import { type TableInfo, tablesOf } from './tables.ts'

const Tables = createContext<readonly TableInfo[] | undefined>(undefined)

/** The local name of `holdfast.tables`. */
const LOOKS_TABLE = 'hf_tables'
const LOOKS_SQL = `select schema_name, table_name, label, icon, color, section, position, is_supporting from ${LOOKS_TABLE}`

/** Reads once for all below what the tables look like. */
export function TablesProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const schema = useSchema()
  const looks = useLooks(schema.tables.some(({ name }) => name === LOOKS_TABLE))
  const tables = useMemo(() => withLooks(tablesOf(schema), looks), [schema, looks])
  return <Tables value={tables}>{children}</Tables>
}

/** @param areKept - a server of an older version, or a project that does not expose `holdfast`, keeps none */
function useLooks(areKept: boolean): readonly StoredLooks[] {
  const { userId } = useLocalDatabase()
  const { rows, isLoading } = useRecords<StoredLooks>(areKept ? LOOKS_SQL : '')
  const last = useMemo(() => readLooks(userId), [userId])
  // The next start is outside React.
  useEffect(() => {
    if (!isLoading) rememberLooks(userId, rows)
  }, [userId, rows, isLoading])
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
