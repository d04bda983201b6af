/**
 * A server with the tables of the REST benchmark, in a process of its own, so that two of different commits run at once: `HOLDFAST_SERVER_MAIN` says which.
 * Prints where it is as a line of JSON; ends with its standard input.
 */
import { once } from 'node:events'
import { openHoldfast } from '@holdfast/test-support'
import { createRestTables } from './rest-cases.ts'

/** The line of JSON that it prints. */
export interface RestServer {
  readonly url: string
  readonly anonKey: string
  readonly jwtSecret: string
  readonly pid: number
}

await using holdfast = await openHoldfast()
await createRestTables(holdfast.admin)
const server: RestServer = {
  url: holdfast.url,
  anonKey: holdfast.anonKey,
  jwtSecret: holdfast.jwtSecret,
  pid: holdfast.pid(),
}
console.log(JSON.stringify(server))
process.stdin.resume()
await once(process.stdin, 'end')
