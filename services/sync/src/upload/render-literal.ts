import { isRecord, parseJson } from '@holdfast/foundation'
import type { TypeShape } from '@holdfast/policy'
import { carryDate } from './carry-date.ts'
import type { WritableColumn } from './writable-tables.ts'

/** A number in its original notation, because a JavaScript number would lose digits. */
class ExactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** Source text of a primitive that `JSON.parse` passes to a reviver. */
interface Source {
  readonly source?: string
}

const FLOATS = new Set([700, 701])
const JSONS = new Set([114, 3802])

/**
 * Renders an array, composite or range for Postgres from the JSON on devices. Other text is returned unchanged: it may be Postgres's own format, which
 * Postgres checks.
 */
export function renderLiteral(text: string, shape: TypeShape): string {
  const start = text.trimStart()[0]
  if (start !== '[' && start !== '{') return text
  let value: unknown
  try {
    value = JSON.parse(text, ((_: string, inner: unknown, { source }: Source = {}) =>
      typeof inner === 'number' ? new ExactNumber(source ?? String(inner)) : inner) as (
      key: string,
      value: unknown,
    ) => unknown)
  } catch {
    return text // not JSON: `[0:1]={a,b}` or `[1,5)`
  }
  return isBuilt(value, shape) ? (render(value, shape) ?? text) : text
}

/** Whether a value has the structure that devices use for the type. */
function isBuilt(value: unknown, shape: TypeShape): boolean {
  if (shape.kind === 'array' || shape.kind === 'multirange') return Array.isArray(value)
  return (shape.kind === 'composite' || shape.kind === 'range') && isObject(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !(value instanceof ExactNumber)
}

/** @returns `null` for NULL */
function render(value: unknown, shape: TypeShape): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  switch (shape.kind) {
    case 'scalar':
      return renderScalar(value, shape.oid)
    case 'array':
      return Array.isArray(value) ? renderArray(value, shape) : exactJson(value)
    case 'composite':
      return isObject(value) ? renderComposite(value, shape.members) : exactJson(value)
    case 'range':
      return isObject(value) ? renderRange(value, shape.bound) : exactJson(value)
    case 'multirange':
      return Array.isArray(value)
        ? `{${value.map((range: unknown) => render(range, { kind: 'range', bound: shape.bound })).join(',')}}`
        : exactJson(value)
  }
}

function renderScalar(value: unknown, oid: number): string {
  if (value instanceof ExactNumber && FLOATS.has(oid) && !Number.isFinite(Number(value.source))) {
    return value.source.startsWith('-') ? '-Infinity' : 'Infinity'
  }
  return exactJson(value)
}

function renderArray(elements: readonly unknown[], shape: TypeShape & { readonly kind: 'array' }): string {
  const { element, delimiter } = shape
  const rendered = elements.map((one) => {
    if (one === null) return 'NULL'
    if (Array.isArray(one) && isDimension(one, element)) return renderArray(one, shape)
    return `"${(render(one, element) ?? '').replaceAll(/["\\]/g, String.raw`\$&`)}"`
  })
  return `{${rendered.join(delimiter)}}`
}

/** Inner lists are dimensions, unless the elements are lists themselves. */
function isDimension(list: readonly unknown[], element: TypeShape): boolean {
  if (element.kind === 'array') return false
  // Dimensions are not empty. Multiranges contain neither NULLs nor lists.
  if (element.kind === 'multirange') return list.length > 0 && list.every((one) => one === null || Array.isArray(one))
  return element.kind !== 'scalar' || !JSONS.has(element.oid) || (list.length > 0 && list.every(isJsonElement))
}

/** Whether a value is an array element in device form: text that contains JSON, NULL, or a dimension of these. Other lists are JSON values themselves. */
function isJsonElement(one: unknown): boolean {
  if (one === null) return true
  if (Array.isArray(one)) return one.length > 0 && one.every(isJsonElement)
  // Text that is not JSON is a string value.
  return typeof one === 'string' && parseJson(one) !== undefined
}

function renderComposite(
  value: Readonly<Record<string, unknown>>,
  members: readonly { readonly name: string; readonly shape: TypeShape }[],
): string {
  return `(${members.map(({ name, shape }) => field(Object.hasOwn(value, name) ? value[name] : null, shape)).join(',')})`
}

function renderRange(value: Readonly<Record<string, unknown>>, bound: TypeShape): string {
  const [open, close] = [isSet(value['lower_exclusive']) ? '(' : '[', isSet(value['upper_exclusive']) ? ')' : ']']
  return `${open}${field(value['lower'], bound)},${field(value['upper'], bound)}${close}`
}

function isSet(flag: unknown): boolean {
  return flag === true || (flag instanceof ExactNumber && flag.source === '1')
}

/** An empty field is NULL, or an unbounded end of a range. */
function field(value: unknown, shape: TypeShape): string {
  const text = render(value, shape)
  return text === null ? '' : `"${text.replaceAll(/["\\]/g, '$&$&')}"`
}

function exactJson(value: unknown): string {
  if (value instanceof ExactNumber) return value.source
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}:${exactJson(inner)}`)
      .join(',')}}`
  }
  return JSON.stringify(value)
}

/** A value in the local database. */
export type SqliteValue = string | number | null

/**
 * Renders a value for Postgres as untyped text, which takes the column's type. Lengths and domains are checked as for any INSERT, not silently truncated as
 * by an explicit cast.
 */
export function renderValue(value: SqliteValue, column: WritableColumn): string | null {
  if (value === null) return null
  if (column.shape.kind !== 'scalar' && typeof value === 'string') return renderLiteral(value, column.shape)
  if (column.dateZone !== undefined && typeof value === 'string') return carryDate(value, column.type, column.dateZone)
  const text = String(value)
  return column.renamedValues?.get(text) ?? text
}
