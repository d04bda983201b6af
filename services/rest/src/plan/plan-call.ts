import { defined } from '@holdfast/foundation'
import type { RestCatalog, RestRoutine } from '../catalog.ts'
import { ambiguousFunction, functionNotFound } from '../errors.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { nearestName } from './nearest-name.ts'
import type { CallPlan } from './plan.ts'

/** Similarity that PostgREST's hints ask for: of function names, and of parameter lists once the name is right. */
const NAME_SIMILARITY_MIN = 0.75
const PARAMETERS_SIMILARITY_MIN = 0.33

/**
 * Chooses the function that a request means, by name and by the names of its arguments.
 *
 * @throws PGRST202 when none fits, PGRST203 when several do
 * @see PostgREST reference, "Functions as RPC"
 */
export function planCall(catalog: RestCatalog, request: ApiRequest, name: string, method: string): CallPlan {
  const isPost = method === 'POST'
  const given = isPost ? (request.payload?.columns ?? []) : [...new Set(request.query.args.map(([arg]) => arg))]
  const routine = chooseRoutine(catalog, request.schema, name, given, isPost)
  const [only] = routine.parameters
  if (isPost) {
    const payload = defined(request.payload, 'a function called with POST has a payload')
    if (routine.parameters.length === 1 && only?.name === '') {
      return { routine, args: { kind: 'body', json: payload.json, type: only.type } }
    }
    const parameters = routine.parameters.filter((parameter) => given.includes(parameter.name))
    return { routine, args: { kind: 'json', payload, parameters } }
  }
  const values = routine.parameters
    .filter((parameter) => given.includes(parameter.name))
    .map((parameter) => {
      const texts = request.query.args.filter(([arg]) => arg === parameter.name).map(([, text]) => text)
      return { parameter, texts: parameter.variadic ? texts : texts.slice(-1) }
    })
  return { routine, args: { kind: 'texts', values } }
}

function chooseRoutine(
  catalog: RestCatalog,
  schema: string,
  name: string,
  given: readonly string[],
  isPost: boolean,
): RestRoutine {
  const candidates = catalog.routines(schema, name)
  const named = candidates.filter((routine) => acceptsArguments(routine, given))
  const fitting = named.length > 0 || !isPost ? named : candidates.filter(takesWholeBody)
  const [only, second] = fitting
  if (only === undefined) throw notFound(catalog, schema, name, given, isPost, candidates)
  if (second === undefined) return only
  throw ambiguousFunction(
    fitting.map((routine) => {
      const parameters = routine.parameters.map((parameter) => `${parameter.name} => ${parameter.type}`)
      return `${routine.schema}.${routine.name}(${parameters.join(', ')})`
    }),
  )
}

function acceptsArguments(routine: RestRoutine, given: readonly string[]): boolean {
  const names = routine.parameters.map(({ name }) => name)
  const required = routine.parameters.filter(({ hasDefault }) => !hasDefault)
  return (
    names.every((name) => name !== '') &&
    given.every((name) => names.includes(name)) &&
    required.every(({ name }) => given.includes(name))
  )
}

/** One parameter without a name that takes the body as it is. */
function takesWholeBody({ parameters }: RestRoutine): boolean {
  const [only] = parameters
  return parameters.length === 1 && only?.name === '' && (only.type === 'json' || only.type === 'jsonb')
}

function notFound(
  catalog: RestCatalog,
  schema: string,
  name: string,
  given: readonly string[],
  isPost: boolean,
  candidates: readonly RestRoutine[],
) {
  const qualified = `${schema}.${name}`
  const sorted = given.toSorted()
  const list = sorted.join(', ')
  const none = given.length === 0
  const message = `Could not find the function ${qualified}${none ? ' without parameters' : `(${list})`} in the schema cache`
  const searched = none ? ' without parameters' : ` with parameter${given.length > 1 ? 's' : ''} ${list}`
  const alternative = isPost ? ' or with a single unnamed json/jsonb parameter' : ''
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
                .map((parameter) => parameter.name)
                .toSorted()
                .join(', ')})`,
          ),
          PARAMETERS_SIMILARITY_MIN,
        )
  if (nearest === undefined) return undefined
  return `Perhaps you meant to call the function ${schema}.${candidates.length === 0 ? '' : name}${nearest}`
}
