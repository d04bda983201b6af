import type { FunctionInfo } from '../catalog/policy-input.ts'
import { Refusal } from '../refusal.ts'
import { qualify } from '../syntax/collect-names.ts'
import { nameParts } from '../syntax/names.ts'
import { parseFunctionBody } from '../syntax/parse.ts'
import { readProcedure } from '../syntax/plpgsql.ts'

type Declared = Pick<FunctionInfo, 'schema' | 'name' | 'language' | 'volatility' | 'procedure' | 'bodies'>

/**
 * A function in PL/pgSQL that is declared immutable although it reads tables, claims or the clock is stable in what it does, and is followed as that. Postgres
 * calls it for each row all the same; who reads the change stream would call it without the person.
 *
 * The author's word is taken where a body cannot be read, and for functions of the system that are not immutable, such as `to_char`.
 */
export function withTrueVolatility<F extends Declared>(functions: readonly F[]): F[] {
  const looks = functions.map(lookAt)
  const readsMore = looks.map(({ isMore }) => isMore)
  for (let isNew = true; isNew;) {
    isNew = false
    for (const [index, look] of looks.entries()) {
      if (readsMore[index] || !functions.some((other, at) => readsMore[at] && calls(look, other))) continue
      readsMore[index] = isNew = true
    }
  }
  return functions.map((f, index) =>
    readsMore[index] && f.language === 'plpgsql' && f.volatility === 'i' ? { ...f, volatility: 's' } : f,
  )
}

interface Look {
  /** By itself it reads more than its arguments. */
  readonly isMore: boolean
  /** What it calls, each as the JSON of `[schema, name]`. */
  readonly called: ReadonlySet<string>
}

/** Of a name without a schema, the search path of the moment would tell which function it is: any that it may be counts. */
function calls({ called }: Look, { schema, name }: Declared): boolean {
  return called.has(JSON.stringify([schema, name])) || called.has(JSON.stringify(['pg_catalog', name]))
}

const CLOCK = new Set(['now', 'transaction_timestamp', 'statement_timestamp'])

function lookAt(f: Declared): Look {
  const called = new Set<string>()
  if (f.schema === 'pg_catalog') return { isMore: false, called }
  if (f.language !== 'sql' && f.language !== 'plpgsql') return { isMore: f.volatility !== 'i', called }
  let isMore = false
  const walk = (tree: unknown): void => {
    if (Array.isArray(tree)) for (const item of tree) walk(item)
    if (Array.isArray(tree) || typeof tree !== 'object' || tree === null) return
    for (const [key, value] of Object.entries(tree)) {
      if (key === 'RangeVar' || key === 'SQLValueFunction') isMore = true
      if (key === 'sval' && typeof value === 'string' && value.startsWith('request.jwt.')) isMore = true
      if (key === 'funcname') {
        const [schema, name] = qualify(nameParts(value))
        if (schema === 'auth' || (schema === 'pg_catalog' && CLOCK.has(name))) isMore = true
        called.add(JSON.stringify([schema, name]))
      }
      walk(value)
    }
  }
  walk(bodiesOf(f))
  return { isMore, called }
}

/** The parse trees of a function: none when it does more than read, or runs text that it makes itself. */
function bodiesOf({ procedure, bodies }: Declared): readonly unknown[] {
  try {
    if (procedure === null)
      return Object.values(bodies).flatMap((body) => ('text' in body ? parseFunctionBody(body.text) : []))
    const { queries, variables } = readProcedure(procedure)
    return [...queries, ...variables.flatMap(({ initial }) => initial ?? [])].map(({ node }) => node)
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}
