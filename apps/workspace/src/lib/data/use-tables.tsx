import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { createContext, type JSX, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { type LatePart, latePart, useLatePart } from '../late-part.ts'
import type { FormatterOf } from './field-formatter.ts'
import { type StoredField, storedFieldSchema, withFields } from './arrange-fields.ts'
import { type StoredLooks, storedLooksSchema, withLooks } from './arrange-tables.ts'
import { useChosenWorkspace } from './chosen-workspace.ts'
import { FIELDS_TABLE } from './fields-table.ts'
import { readFieldLooks, readLooks, rememberFieldLooks, rememberLooks } from './remembered-looks.ts'
import { type TableInfo, tablesOf, toTableInfo } from './tables.ts'

/** The code of formats, which is needed by tables that have them. */
type Formats = LatePart<{ readonly formatterOf: FormatterOf }>
const NO_FORMATS: Formats = latePart(() => Promise.resolve({ formatterOf: () => undefined }))

interface Known {
  readonly tables: readonly TableInfo[]
  /** The schema with the project's field labels. */
  readonly schema: SchemaDescriptor
}

const Tables = createContext<Known | undefined>(undefined)

/** Local name of `holdfast.tables`. */
const LOOKS_TABLE = 'hf_tables'
const LOOKS = Object.keys(storedLooksSchema.entries)
const FIELDS = Object.keys(storedFieldSchema.entries)

/** Provides the looks of tables and fields to all components below. */
export function TablesProvider({
  formats = NO_FORMATS,
  children,
}: {
  readonly formats?: Formats
  readonly children: ReactNode
}): JSX.Element {
  const schema = useSchema()
  const looks = useKept<StoredLooks>(LOOKS_TABLE, LOOKS, readLooks, rememberLooks)
  const fields = useKept<StoredField>(FIELDS_TABLE, FIELDS, readFieldLooks, rememberFieldLooks)
  const workspaces = useMyWorkspaces(looks, fields)
  useFollowMade(looks)
  const { part } = useLatePart(
    formats,
    fields.some(({ format }) => format != null),
  )
  const known = useMemo(() => {
    // Tables of the user's other workspaces are shown when these are chosen.
    const mine = workspaces && new Set(workspaces.slice(0, 1))
    const tables = withFields(withLooks(tablesOf(schema), looks, mine), fields, workspaces?.[0], part?.formatterOf)
    const worded = new Map(tables.map(({ name, descriptor }) => [name, descriptor]))
    return { tables, schema: { ...schema, tables: schema.tables.map((table) => worded.get(table.name) ?? table) } }
  }, [schema, looks, fields, workspaces, part])
  return <Tables value={known}>{children}</Tables>
}

/** Reads rows of a looks table; the cached ones until the database responds. Empty for older servers and projects not exposing `holdfast`. */
function useKept<Row extends object>(
  table: string,
  columns: readonly string[],
  read: (userId: string) => readonly Row[],
  remember: (userId: string, rows: readonly Row[]) => void,
): readonly Row[] {
  const { userId } = useLocalDatabase()
  const known = useSchema().tables.find(({ name }) => name === table)
  const areKept = known !== undefined
  // Older servers' tables may lack columns.
  const wanted = columns.filter((column) => known?.columns.some(({ name }) => name === column))
  const { rows, isLoading } = useRecords<Row>(areKept ? `select ${wanted.join()} from ${table}` : '')
  const last = useMemo(() => read(userId), [read, userId])
  // Usually unchanged; keeps the identity to avoid rerendering.
  const isSame = useMemo(() => JSON.stringify(rows) === JSON.stringify(last), [rows, last])
  // Persist for the next start.
  useEffect(() => {
    if (!isLoading) remember(userId, rows)
  }, [remember, userId, rows, isLoading])
  return areKept && (isLoading || isSame) ? last : rows
}

/** Refreshes the schema when tables are created or removed in the app, because an empty table has no rows to signal it. */
function useFollowMade(looks: readonly StoredLooks[]): void {
  const { refreshSchema } = useLocalDatabase()
  const made = looks.flatMap(({ workspace_id, table_name }) => (workspace_id == null ? [] : [table_name])).toSorted()
  const now = made.join()
  const last = useRef(now)
  useEffect(() => {
    if (last.current === now) return
    last.current = now
    refreshSchema().catch((error: unknown) => console.warn('The schema did not come.', error))
  }, [now, refreshSchema])
}

/** Returns ids of accessible workspaces, the current one first; queried only if needed. `undefined` if unknown. */
function useMyWorkspaces(looks: readonly StoredLooks[], fields: readonly StoredField[]): readonly string[] | undefined {
  const areKept = useSchema().tables.some(({ name }) => name === 'hf_workspaces')
  const isAsked = areKept && [...looks, ...fields].some(({ workspace_id }) => workspace_id != null)
  const chosen = useChosenWorkspace() ?? ''
  const { rows, isCurrent } = useRecords<{ readonly id: string }>(
    isAsked ? 'select id from hf_workspaces order by id = ? desc, created_at, id' : '',
    isAsked ? [chosen] : [],
  )
  return useMemo(() => (isAsked && isCurrent ? rows.map(({ id }) => id) : undefined), [isAsked, isCurrent, rows])
}

/** Returns the project's visible tables in configured order, following the server's schema. */
export function useTables(): readonly TableInfo[] {
  return useKnown().tables
}

/** Returns the schema with the project's labels. */
export function useWordedSchema(): SchemaDescriptor {
  return useKnown().schema
}

/** Returns the workspace to which a table that the current one does not show belongs, if the user is in it. */
export function useWorkspaceOfTable(name: string): { readonly id: string; readonly name: string } | undefined {
  const { tables } = useSchema()
  const table = tables.find((one) => one.name === name)
  const isAsked =
    table !== undefined && [LOOKS_TABLE, 'hf_workspaces'].every((own) => tables.some((one) => one.name === own))
  const { rows } = useRecords<{ readonly id: string; readonly name: string }>(
    isAsked
      ? `select w.id, w.name from ${LOOKS_TABLE} t join hf_workspaces w on w.id = t.workspace_id where t.schema_name = ? and t.table_name = ?`
      : '',
    isAsked ? [table.schema, table.table] : [],
  )
  return rows[0]
}

/** Returns a lookup of tables by local name, including system tables. */
export function useFindTable(): (name: string) => TableInfo | undefined {
  const { tables, schema } = useKnown()
  return (name) => {
    const descriptor = schema.tables.find((table) => table.name === name)
    return tables.find((table) => table.name === name) ?? (descriptor && toTableInfo(descriptor))
  }
}

function useKnown(): Known {
  const known = useContext(Tables)
  if (!known) throw new Error('the tables of a project are read below a TablesProvider')
  return known
}

/** Returns a table by local name from the current schema. */
export function useTableInfo(name: string): TableInfo | undefined {
  return useTables().find((table) => table.name === name)
}
