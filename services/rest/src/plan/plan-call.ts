import { defined } from '@holdfast/foundation'
import type { RestCatalog, RestParameter, RestRoutine } from '../catalog/catalog.ts'
import { ambiguousFunction, functionNotFound } from '../errors.ts'
import type { ApiRequest, Payload } from '../request/api-request.ts'
import { wholeType } from '../catalog/whole-type.ts'
import { nearestName } from './nearest-name.ts'
import type { CallArguments, CallParameter, CallPlan } from './plan.ts'

/** Minimum similarities of PostgREST's hints, for function names and, with a matching name, for parameter lists. */
const NAME_SIMILARITY_MIN = 0.75
const PARAMETERS_SIMILARITY_MIN = 0.33

/** Kind of a call's body, for choosing a function. */
type BodyKind = 'none' | 'json' | 'csv' | 'form' | 'text' | 'xml' | 'bytea'

/** Types of a single unnamed parameter that receives the whole body. */
const WHOLE_BODY_TYPES: Readonly<Record<BodyKind, readonly string[]>> = {
  none: [],
  json: ['json', 'jsonb'],
  csv: [],
  form: [],
  text: ['text'],
  xml: ['xml'],
  bytea: ['bytea'],
}

/**
 * Chooses the requested function by its name and argument names.
 *
 * @throws PGRST202 if none matches, PGRST203 if several do
 * @see PostgREST reference, "Functions as RPC"
 */
export function planCall(catalog: RestCatalog, request: ApiRequest, name: string, method: string): CallPlan {
  if (method !== 'POST') {
    const { args } = request.query
    const given = [...new Set(args.map(([arg]) => arg))]
    const routine = chooseRoutine(catalog, request.schema, name, given, 'none')
    return { routine, args: textArguments(routine, args) }
  }
  const payload = defined(request.payload, 'a function called with POST has a payload')
  const routine = chooseRoutine(catalog, request.schema, name, payload.columns, bodyKind(payload))
  return { routine, args: bodyArguments(routine, payload) }
}

function bodyKind(payload: Payload): BodyKind {
  if (payload.kind === 'whole') return payload.type
  return payload.kind === 'form' ? 'form' : payload.format
}

function bodyArguments(routine: RestRoutine, payload: Payload): CallArguments {
  if (payload.kind === 'form') return textArguments(routine, payload.pairs)
  const only = namelessParameter(routine)
  if (only) return { kind: 'body', value: payload.kind === 'whole' ? payload.bytes : payload.json, type: only.type }
  if (payload.kind === 'whole') return { kind: 'texts', values: [] }
  const parameters = routine.parameters.filter((parameter) => payload.columns.includes(parameter.name))
  return { kind: 'json', payload, parameters: parameters.map(toCallParameter) }
}

/** Parses query arguments. The last value of a repeated non-variadic parameter counts. An unnamed parameter gets all as an object. */
function textArguments(routine: RestRoutine, args: readonly (readonly [name: string, value: string])[]): CallArguments {
  const only = namelessParameter(routine)
  if (only) return { kind: 'body', value: JSON.stringify(Object.fromEntries(args)), type: only.type }
  const values = routine.parameters.flatMap((parameter) => {
    const texts = args.filter(([arg]) => arg === parameter.name).map(([, text]) => text)
    if (texts.length === 0) return []
    return [{ parameter: toCallParameter(parameter), texts: parameter.variadic ? texts : texts.slice(-1) }]
  })
  return { kind: 'texts', values }
}

/** Returns a function's single unnamed parameter, which receives the whole body. */
function namelessParameter({ parameters }: RestRoutine): RestParameter | undefined {
  const [only] = parameters
  return parameters.length === 1 && only?.name === '' ? only : undefined
}

function toCallParameter({ name, type, variadic }: RestParameter): CallParameter {
  return { name, type: wholeType(type), variadic }
}

function chooseRoutine(
  catalog: RestCatalog,
  schema: string,
  name: string,
  given: readonly string[],
  body: BodyKind,
): RestRoutine {
  const candidates = catalog.routines(schema, name)
  const named = candidates.filter((routine) => acceptsArguments(routine, given, body))
  const fitting = named.length > 0 ? named : candidates.filter((routine) => takesWholeBody(routine, body))
  const [only, second] = fitting
  if (only === undefined) throw notFound(catalog, schema, name, given, body, candidates)
  if (second === undefined) return only
  throw ambiguousFunction(fitting.toSorted(byParameters).map(signature))
}

function signature(routine: RestRoutine): string {
  const parameters = routine.parameters.map((parameter) => `${parameter.name} => ${parameter.type}`)
  return `${routine.schema}.${routine.name}(${parameters.join(', ')})`
}

/** Sorts by number of parameters. */
function byParameters(left: RestRoutine, right: RestRoutine): number {
  const difference = left.parameters.length - right.parameters.length
  if (difference !== 0) return difference
  return signature(left) < signature(right) ? -1 : 1
}

function acceptsArguments({ parameters }: RestRoutine, given: readonly string[], body: BodyKind): boolean {
  // A body with a single value is an argument, so a function without parameters does not match.
  if (parameters.length === 0 && (body === 'text' || body === 'xml' || body === 'bytea')) return false
  const names = parameters.map(({ name }) => name)
  const required = parameters.filter(({ hasDefault }) => !hasDefault)
  // An unnamed parameter is passed by the empty name: `{"": …}`.
  return given.every((name) => names.includes(name)) && required.every(({ name }) => given.includes(name))
}

/** Returns whether the function's single unnamed parameter accepts the body. */
function takesWholeBody(routine: RestRoutine, body: BodyKind): boolean {
  const only = namelessParameter(routine)
  return only !== undefined && WHOLE_BODY_TYPES[body].includes(only.type)
}

function notFound(
  catalog: RestCatalog,
  schema: string,
  name: string,
  given: readonly string[],
  body: BodyKind,
  candidates: readonly RestRoutine[],
) {
  const qualified = `${schema}.${name}`
  if (body === 'text' || body === 'xml' || body === 'bytea') {
    return functionNotFound(
      `Could not find the function ${qualified} in the schema cache`,
      `Searched for the function ${qualified} with a single unnamed ${body} parameter, but no matches were found in the schema cache.`,
      undefined,
    )
  }
  const sorted = given.toSorted()
  const list = sorted.join(', ')
  const none = given.length === 0
  const message = `Could not find the function ${qualified}${none ? ' without parameters' : `(${list})`} in the schema cache`
  const searched = none ? ' without parameters' : ` with parameter${given.length > 1 ? 's' : ''} ${list}`
  const alternative = body === 'json' ? ' or with a single unnamed json/jsonb parameter' : ''
  const details = `Searched for the function ${qualified}${searched}${alternative}, but no matches were found in the schema cache.`
  return functionNotFound(message, details, hint(catalog, schema, name, list, candidates))
}

function hint(
  catalog: RestCatalog,
  schema: string,
  name: string,
  list: string,
  candidates: readonly RestRoutine[],
): string | undefined {
  const nearest =
    candidates.length === 0
      ? nearestName(name, catalog.routineNames(schema), NAME_SIMILARITY_MIN)
      : nearestName(
          `(${list})`,
          candidates.map(
            ({ parameters }) =>
              `(${parameters
                .map((item) => item.name)
                .toSorted()
                .join(', ')})`,
          ),
          PARAMETERS_SIMILARITY_MIN,
        )
  if (nearest === undefined) return undefined
  return `Perhaps you meant to call the function ${schema}.${candidates.length === 0 ? '' : name}${nearest}`
}
