import type { Parameter, Routine } from '@holdfast/postgres'
import { reference, splitComment, type OpenapiParameter, type OpenapiPath } from './openapi-document.ts'
import { elementType, openapiFormat, openapiType, typeSchema } from './type-mapping.ts'

const PRODUCES = [
  'application/json',
  'application/vnd.pgrst.object+json;nulls=stripped',
  'application/vnd.pgrst.object+json',
]

const BODY_TYPES = new Set(['bytea', 'json', 'jsonb', 'text', 'xml'])

/** Returns whether a routine is part of the API: a function with named arguments, or with the body as its only argument. */
export function isDescribed({ kind, returns, parameters }: Routine): boolean {
  if (kind !== 'function' || returns.kind === 'trigger') return false
  if (parameters.every(({ name }) => name !== '')) return true
  return parameters.length === 1 && BODY_TYPES.has(parameters[0]?.type ?? '')
}

/** Returns a function's operations: POST, and GET if it does not write. */
export function routinePath(routine: Routine): OpenapiPath {
  const operation = {
    tags: [`(rpc) ${routine.name}`],
    ...splitComment(routine.comment),
    produces: PRODUCES,
    responses: { '200': { description: 'OK' } },
  }
  const named = routine.parameters.filter(({ name }) => name !== '')
  const post = { ...operation, parameters: [bodyParameter(routine, named), reference('parameters', 'preferParams')] }
  if (routine.volatility === 'volatile' || named.length < routine.parameters.length) return { post }
  return { get: { ...operation, parameters: named.map((parameter) => queryParameter(routine, parameter)) }, post }
}

function bodyParameter(routine: Routine, named: readonly Parameter[]): OpenapiParameter {
  const required = named.filter((parameter) => parameter.required).map(({ name }) => name)
  const [whole] = routine.parameters
  const isWhole = whole !== undefined && whole.name === ''
  return {
    name: 'args',
    in: 'body',
    required: true,
    schema: {
      ...(routine.comment === undefined ? {} : { description: routine.comment }),
      ...(isWhole
        ? typeSchema(whole.type)
        : {
            type: 'object',
            properties: Object.fromEntries(named.map(({ name, type }) => [name, typeSchema(type)])),
            ...(required.length === 0 ? {} : { required }),
          }),
    },
  }
}

/** Arrays in a URL use Postgres's format `{1,2}`, except variadic ones, whose parameter is repeated. */
function queryParameter(routine: Routine, { name, type, required }: Parameter): OpenapiParameter {
  const known = openapiType(type)
  if (routine.variadic && routine.parameters.at(-1)?.name === name) {
    const element = elementType(type)
    return {
      name,
      in: 'query',
      required,
      type: 'array',
      collectionFormat: 'multi',
      items: { type: openapiType(element) ?? 'string', format: openapiFormat(element) },
    }
  }
  const simple = known === undefined || known === 'array' ? 'string' : known
  return { name, in: 'query', required, type: simple, format: openapiFormat(type) }
}
