import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import type { SupabaseClient } from '@supabase/supabase-js'
import { expect } from '@playwright/test'
import { readDevice } from './local-device.ts'
import type { Person } from './person.ts'

const PAGE_ROWS = 1_000
const TOLD_MAX = 4

/**
 * The invariant of every journey: once nothing is waiting, the rows on the device are the rows that the same person sees through the REST API with
 * supabase-js. Tries again until they are, because the last changes may still be on their way.
 */
export async function expectConvergence(person: Person, tables: readonly string[]): Promise<void> {
  const supabase = await person.supabase()
  await expect(async () => {
    const found: string[] = []
    for (const name of tables) found.push(...(await differencesOf(person, supabase, name)))
    expect(found).toEqual([])
  }).toPass({ timeout: 120_000 })
}

async function differencesOf(person: Person, supabase: SupabaseClient, name: string): Promise<readonly string[]> {
  const device = await readDevice(person.page, `select * from "${name}"`)
  expect(device.waiting, `${person.name} has nothing waiting`).toBe(0)
  const table = device.tables.find((candidate) => candidate.name === name)
  if (!table) return [`${name} is not on the device of ${person.name}`]
  const local = byId(device.rows, table)
  const remote = byId(await selectAll(supabase, table), table)
  const found: string[] = []
  for (const [id, row] of remote) {
    const mine = local.get(id)
    if (mine !== row) found.push(`${name}: ${person.name} has ${mine ?? 'no row'} instead of ${row}`)
  }
  for (const [id, row] of local) if (!remote.has(id)) found.push(`${name}: ${person.name} still has ${row}`)
  return found.slice(0, TOLD_MAX)
}

async function selectAll(supabase: SupabaseClient, table: TableDescriptor): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (;;) {
    const { data, error } = await supabase
      .schema(table.schema)
      .from(table.table)
      .select('*')
      .order('id')
      .range(rows.length, rows.length + PAGE_ROWS - 1)
    if (error) throw error
    rows.push(...(data as Row[]))
    if (data.length < PAGE_ROWS) return rows
  }
}

type Row = Readonly<Record<string, unknown>>

function byId(rows: readonly Row[], table: TableDescriptor): ReadonlyMap<string, string> {
  return new Map(
    rows.map((row) => [
      String(row['id']),
      JSON.stringify(table.columns.map((column) => [column.name, canonical(row[column.name], column)])),
    ]),
  )
}

/** One writing for a value that Postgres, JSON and SQLite write each in their way. */
function canonical(value: unknown, { type }: ColumnDescriptor): unknown {
  if (value === null || value === undefined) return null
  if (type.startsWith('numeric') || type === 'boolean') return Number(value)
  if (type.startsWith('timestamp')) {
    return String(value)
      .replace(/(\+00(:00)?|Z)$/, '')
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')
  }
  if (type.startsWith('json') || type.endsWith('[]')) return typeof value === 'string' ? JSON.parse(value) : value
  return String(value)
}
