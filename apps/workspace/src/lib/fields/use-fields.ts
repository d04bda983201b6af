import type { TableDescriptor } from '@holdfast/protocol'
import { useRecords, useSchema } from '@holdfast/react'
import { useEffect, useMemo, useState } from 'react'
import { latePart, useLatePart } from '../late-part.ts'
import type { StoredComputed } from './compile-computed.ts'
import { type Field, fieldsOf } from './field.ts'

/** Local name of `holdfast.computed_fields`. */
const COMPUTED_TABLE = 'hf_computed_fields'
/** Reads the stored computed fields of all tables. */
export const COMPUTED_SQL = `select table_name, field_name, label, result, definition from ${COMPUTED_TABLE} order by created_at, id`
const MINUTE_MS = 60_000

const compiler = latePart(() => import('./compile-computed.ts'))
const NONE: readonly Field[] = []

/**
 * Returns a table's fields with the computed ones, which are there once the code that computes them is loaded.
 *
 * @param today - `YYYY-MM-DD`, in the workspace's time zone
 */
export function useFields(table: TableDescriptor | undefined, today: string): readonly Field[] {
  const schema = useSchema()
  const own = useMemo(() => (table ? fieldsOf(table, schema) : NONE), [table, schema])
  const isKept = schema.tables.some(({ name }) => name === COMPUTED_TABLE)
  const { rows } = useRecords<StoredComputed>(isKept ? COMPUTED_SQL : '')
  // Rows are new objects after each change of any of them.
  const stored = JSON.stringify(rows)
  const isHere = rows.some((row) => row.table_name === table?.table)
  const { part } = useLatePart(compiler, isHere)
  const minute = useMinute(isHere && stored.includes('"now"'))
  const computed = useMemo(() => {
    if (!part || !isHere || !table) return NONE
    const all = part.readComputed(JSON.parse(stored) as readonly StoredComputed[])
    return part.compileComputed(table, schema, all, { today, now: new Date(minute) })
  }, [part, isHere, stored, table, schema, today, minute])
  return useMemo(() => (computed.length === 0 ? own : [...own, ...computed]), [own, computed])
}

/** Returns the time in ms, again each minute; a constant while it is not used. */
function useMinute(isUsed: boolean): number {
  const [minute, setMinute] = useState(() => Date.now())
  useEffect(() => {
    if (!isUsed) return
    const timer = setInterval(() => setMinute(Date.now()), MINUTE_MS)
    return () => clearInterval(timer)
  }, [isUsed])
  return minute
}
