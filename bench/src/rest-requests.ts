import type { LoadRequest } from './http-load.ts'
import { OWNER, restCase, type RestCaseName } from './rest-cases.ts'
import { mintToken } from './tokens.ts'

export const CASES: readonly { readonly name: RestCaseName; readonly plainPath: string }[] = [
  { name: 'single row by key', plainPath: '/single' },
  { name: '100 rows with two embeds', plainPath: '/embeds' },
  { name: 'insert of one', plainPath: '/insert' },
  { name: 'bulk insert of 1,000', plainPath: '/bulk' },
]
export const CONNECTIONS = [1, 16, 64]

export function titleOf(name: RestCaseName, connections: number): string {
  return `${name}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
}

const tokens = new Map<string, string>()

/** The request of a signed-in person. @param random - from 0 to 1 */
export function restRequest(
  { anonKey, jwtSecret }: { readonly anonKey: string; readonly jwtSecret: string },
  name: RestCaseName,
  random = Math.random(),
): LoadRequest {
  const token = tokens.get(jwtSecret) ?? mintToken(jwtSecret, OWNER)
  tokens.set(jwtSecret, token)
  const headers = {
    apikey: anonKey,
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'bench',
  }
  return { ...restCase(name, random).request, headers }
}
