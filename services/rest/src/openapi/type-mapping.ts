import { parseJson } from '@holdfast/foundation'
import type { OpenapiSchema, OpenapiType } from './openapi-document.ts'

const TYPES: Readonly<Record<string, OpenapiType | undefined>> = {
  boolean: 'boolean',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  numeric: 'number',
  real: 'number',
  'double precision': 'number',
  json: undefined,
  jsonb: undefined,
}

const FORMATS: Readonly<Record<string, string>> = { smallint: 'int32', integer: 'int32', bigint: 'int64' }

/**
 * Returns the JSON type of a Postgres type.
 *
 * @param type - without modifiers, as printed by `format_type`
 * @returns `undefined` for JSON, which may be any type
 */
export function openapiType(type: string): OpenapiType | undefined {
  if (Object.hasOwn(TYPES, type)) return TYPES[type]
  return type.endsWith('[]') ? 'array' : 'string'
}

/** Returns the `format` of a type: the width of an integer, otherwise Postgres's name. */
export function openapiFormat(type: string): string {
  return FORMATS[type] ?? type
}

export function elementType(type: string): string {
  return type.slice(0, -2)
}

/** Returns type and format, and for an array the type of its elements. */
export function typeSchema(type: string): OpenapiSchema {
  const known = openapiType(type)
  const element = known === 'array' ? openapiType(elementType(type)) : undefined
  return {
    format: openapiFormat(type),
    ...(known === undefined ? {} : { type: known }),
    ...(known === 'array' ? { items: element === undefined ? {} : { type: element } } : {}),
  }
}

/**
 * Returns the value of a constant default: `42`, `false`, `'open'::text`. For a text type with another default, returns the expression.
 *
 * @param type - of the column, without modifiers
 * @param expression - as printed by Postgres
 * @returns `undefined` for an expression that is not a value, such as `nextval(…)` of an integer
 */
export function defaultValue(type: string, expression: string): unknown {
  if (openapiType(type) !== 'string') return parseJson(expression)
  const cast = `::${type}`
  return expression.endsWith(cast) ? expression.slice(0, -cast.length).replaceAll(/^'+|'+$/g, '') : expression
}
