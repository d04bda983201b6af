import { parseJson } from '@holdfast/foundation'
import type { TypeShape } from '@holdfast/policy'
import { valueToJson } from './value-json.ts'

/** The id by which devices know a row. */
export type RecordId = (row: readonly (string | null)[]) => string

const FLOATS = new Set([700, 701])
/** Of which devices hold infinity as a value that could also be another one's. */
const TIMES = new Set([1082, 1114, 1184])
/** Which have another text on the device: boolean, date, time, timestamp, timestamptz. */
const REWRITTEN = new Set([16, 1082, 1083, 1114, 1184])

/**
 * Compiles what makes the ids of a table's rows. A key of one column is the text of its value on the device; a key of several is a JSON array of such
 * texts. So it can be made on a device from a new row, and be read again.
 *
 * @param columns - of the key, in its order, with the position of each in the rows to come
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

/**
 * Reads an id again.
 *
 * @param columns - how many the key has
 * @returns the texts of the key's values, or `undefined` when the text is no id of such a key
 */
export function readRecordId(id: string, columns: number): readonly string[] | undefined {
  if (columns === 1) return [id]
  const values = parseJson(id)
  if (!Array.isArray(values) || values.length !== columns) return undefined
  return values.every((value) => typeof value === 'string') ? values : undefined
}
