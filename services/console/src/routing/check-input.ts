import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { invalidRequest } from '../errors.ts'

const compiled = new WeakMap<TSchema, ReturnType<typeof Compile<TSchema>>>()

/**
 * Checks a query or body against a route's schema, compiled at its first use.
 *
 * @param name - of the value, for the message
 * @returns the value; of a query, with texts converted to the schema's types
 * @throws {HoldfastError} `invalid_request` naming the first wrong field
 */
export function checkInput(schema: TSchema | undefined, input: unknown, name: 'query' | 'body'): unknown {
  if (!schema) return input
  let validator = compiled.get(schema)
  if (!validator) {
    validator = Compile(schema)
    compiled.set(schema, validator)
  }
  const value = name === 'query' ? Value.Convert(schema, input) : input
  if (hasNul(value)) throw invalidRequest('A text has a NUL character, which Postgres cannot store.')
  if (validator.Check(value)) return value
  const [first] = validator.Errors(value)
  const field = first?.instancePath.slice(1).replaceAll('/', '.')
  throw invalidRequest(field ? `"${field}" ${first?.message}.` : `The ${name} ${first?.message ?? 'is not valid'}.`)
}

/** Reads the id of a path that Postgres counts. @throws {HoldfastError} `invalid_request` */
export function countedId({ id = '' }: Readonly<Record<string, string>>): string {
  if (!/^[0-9]{1,18}$/.test(id)) throw invalidRequest('The id is a number.')
  return id
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => key.includes('\0') || hasNul(inner))
}
