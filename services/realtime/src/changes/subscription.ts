import { HoldfastError } from '@holdfast/foundation'
import type { FanOut } from '../wire/encode.ts'
import { parseFilter, type Filter } from './filter.ts'

export type ChangeKind = 'INSERT' | 'UPDATE' | 'DELETE'

/** One requested subscription of a join. */
export interface WantedChanges {
  /** As in the reply to the join. */
  readonly id: number
  readonly event: ChangeKind | '*'
  readonly schema: string
  /** `undefined` for every table of the schema. */
  readonly table: string | undefined
  readonly filter: Filter | undefined
  /** Requested columns; the key is always included. */
  readonly select: readonly string[] | undefined
}

/** One channel of one client. */
export interface Subscriber {
  readonly topic: string
  /** Current identity, which changes with a new token. */
  identity(): { readonly role: string; readonly claims: Readonly<Record<string, unknown>> }
  deliver(fanOut: FanOut): void
  /** Ends the channel because it missed changes; the client joins again. */
  cut(reason: string): void
}

export interface Subscription extends WantedChanges {
  readonly subscriber: Subscriber
}

type Entry = Readonly<Record<string, unknown>>

/** @throws {HoldfastError} `InvalidSubscription`, `InvalidFilter` */
export function parseWanted(entry: Entry, id: number): WantedChanges {
  const { event = '*', schema = 'public', table, filter, select } = entry
  const kind = typeof event === 'string' ? event.toUpperCase() : ''
  if (kind !== '*' && kind !== 'INSERT' && kind !== 'UPDATE' && kind !== 'DELETE')
    throw invalid('event must be INSERT, UPDATE, DELETE or *')
  if (typeof schema !== 'string' || (table !== undefined && table !== null && typeof table !== 'string'))
    throw invalid('schema and table must be strings')
  if (filter !== undefined && filter !== null && typeof filter !== 'string') throw invalid('filter must be a string')
  const name = typeof table === 'string' && table !== '' && table !== '*' ? table : undefined
  const parsed = parseFilter(filter ?? '')
  const columns = parseSelect(select)
  if ((schema === '*' || name === undefined) && (columns ?? parsed)) throw invalid('filter and select need a table')
  return { id, event: kind, schema, table: name, filter: parsed, select: columns }
}

function parseSelect(select: unknown): readonly string[] | undefined {
  if (select === undefined || select === null) return undefined
  if (!Array.isArray(select) || select.some((column) => typeof column !== 'string'))
    throw invalid('select is a list of columns')
  return select.length === 0 ? undefined : (select as readonly string[])
}

/** Whether the subscription covers a table. */
export function concerns(
  wanted: Pick<WantedChanges, 'schema' | 'table'>,
  table: { readonly schema: string; readonly name: string },
): boolean {
  if (wanted.schema !== '*' && wanted.schema !== table.schema) return false
  return wanted.table === undefined || wanted.table === table.name
}

function invalid(why: string): HoldfastError {
  return new HoldfastError('InvalidSubscription', 400, why)
}
