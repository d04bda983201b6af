import { parseJson } from '@holdfast/foundation'
import type { TypeShape } from '@holdfast/policy'
import { valueToJson } from './value-json.ts'

/** Returns a row's id on devices. */
export type RecordId = (row: readonly (string | null)[]) => string

const FLOATS = new Set([700, 701])
/** Types whose infinity has the same form on devices as another value. */
const TIMES = new Set([1082, 1114, 1184])
/** Types with another text on devices: boolean, date, time, timestamp, timestamptz. */
const REWRITTEN = new Set([16, 1082, 1083, 1114, 1184])

/**
 * Compiles a function that returns the ids of a table's rows. The id of a single-column key is the value's text on devices; of several columns, a JSON array
 * of such texts. Devices can create ids for new rows, and ids can be parsed.
 *
 * @param columns - of the key in order, with their positions in rows
 */
export function compileRecordId(
  columns: readonly { readonly column: { readonly shape: TypeShape }; readonly position: number }[],
): RecordId {
  const parts = columns.map(({ column, position }) => ({ position, toText: keyText(column.shape) }))
  const [only] = parts
  if (only && parts.length === 1) return (row) => only.toText(row[only.position] ?? '')
  return (row) => JSON.stringify(parts.map(({ position, toText }) => toText(row[position] ?? '')))
}

function keyText(shape: TypeShape): (text: string) => string {
  if (shape.kind === 'scalar' && FLOATS.has(shape.oid)) return (text) => String(Number(text))
  if (shape.kind === 'scalar' && !REWRITTEN.has(shape.oid)) return (text) => text
  const toJson = valueToJson(shape)
  const isTime = shape.kind === 'scalar' && TIMES.has(shape.oid)
  return (text) => {
    if (isTime && text.endsWith('infinity')) return text
    const json = toJson(text)
    return json.startsWith('"') ? (JSON.parse(json) as string) : json
  }
}

/** Parses an id. @param columns - number of key columns @returns the texts of the key values, or `undefined` for an invalid id */
export function readRecordId(id: string, columns: number): readonly string[] | undefined {
  if (columns === 1) return [id]
  const values = parseJson(id)
  if (!Array.isArray(values) || values.length !== columns) return undefined
  return values.every((value) => typeof value === 'string') ? values : undefined
}
