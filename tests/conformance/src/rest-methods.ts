import { createClient, type SupabaseClient } from '@supabase/supabase-js'

/** Functions of the builders that are not for apps: private in TypeScript. */
const NOT_FOR_APPS = new Set(['client.decorateFetch', 'table.cloneRequestState', 'answer.processResponse'])

/** A method of the base is listed where it is documented, and overridden types of it are not listed again. */
function ownFunctions(prototype: object): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor' && !name.startsWith('_'))
    .map(([name]) => name)
}

/**
 * Every method that an app can call for data, as the classes of the client itself have them: `client.rpc`, `table.insert`, `filter.eq`,
 * `modifier.order`, `answer.throwOnError`.
 */
export function restMethods(): string[] {
  const options = { auth: { persistSession: false, autoRefreshToken: false } }
  const client = createClient('http://127.0.0.1:9', 'key', options).schema('public')
  const table = client.from('x')
  const filter = Object.getPrototypeOf(table.select()) as object
  const modifier = Object.getPrototypeOf(filter) as object
  const answer = Object.getPrototypeOf(modifier) as object
  const levels: readonly (readonly [name: string, prototype: object])[] = [
    ['client', Object.getPrototypeOf(client) as object],
    ['table', Object.getPrototypeOf(table) as object],
    ['answer', answer],
    ['modifier', modifier],
    ['filter', filter],
  ]
  const seen = new Set<string>()
  return levels
    .flatMap(([level, prototype]) =>
      ownFunctions(prototype)
        .filter((name) => {
          // Of `throwOnError` and `returns` the levels above only narrow the types.
          const isNew = !(level === 'modifier' || level === 'filter') || !seen.has(`answer.${name}`)
          seen.add(`${level}.${name}`)
          return isNew
        })
        .map((name) => `${level}.${name}`),
    )
    .filter((method) => !NOT_FOR_APPS.has(method))
}

/** The same of the client that apps have, so that nothing of it is overlooked. */
export function dataMethodsOf(client: SupabaseClient): string[] {
  return ['from', 'schema', 'rpc'].filter(
    (name) => typeof (client as unknown as Record<string, unknown>)[name] === 'function',
  )
}
