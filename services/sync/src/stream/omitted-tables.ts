import type { Logger } from '@holdfast/foundation'
import type { IncompleteTable } from '@holdfast/protocol'
import { reasonsOf } from '../buckets/access-classes.ts'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { EvaluatedSubscription } from '../buckets/evaluated-keys.ts'
import type { Device } from '../checkpoints/write-checkpoints.ts'
import { CompactMultimap } from '../buckets/compact-multimap.ts'
import { FLOODED_USERS_MAX, FLOOD_AUTHORS_MAX } from '../limits.ts'
import type { OmittedTable } from './fit-buckets.ts'

/** A stream's finding about data its device does not get. */
export interface FoundOmissions {
  readonly active: ActivePlan
  readonly leftOut: readonly OmittedTable[]
  readonly evaluated: readonly EvaluatedSubscription[]
  /** Author to whom the user's changes are attributed. */
  readonly author: string | null
}

/** A user whose changes determined others' access, with their number, as far as known. */
export interface FloodAuthor {
  readonly author: string
  readonly rows: number
}

/** Data withheld by open streams, for operators and devices. */
export interface OmittedTables {
  /** Replaces the earlier note. New entries are logged. */
  note(stream: object, device: Device, found: FoundOmissions): void
  forget(stream: object): void
  /** Called when a row that determines the access of a stream's user was changed. */
  changed(stream: object, author: string): void
  /** Lists each user and table once. */
  list(): readonly (OmittedTable & { readonly person: string; readonly authors: readonly FloodAuthor[] })[]
  /** Returns a device's incomplete tables; without a client id, those of all the user's devices. `undefined` without an open stream. */
  incomplete(device: Device): readonly IncompleteTable[] | undefined
}

interface Noted {
  readonly device: Device
  readonly leftOut: readonly OmittedTable[]
  readonly incomplete: readonly IncompleteTable[]
}

export function createOmittedTables(logger: Logger): OmittedTables {
  const byStream = new Map<object, Noted>()
  const byUser = new CompactMultimap<Noted>()
  /** Authors of changes to a stream user's access since its start. */
  const changes = new WeakMap<object, Map<string, number>>()
  /** Authors for users with incomplete data, kept because their next stream starts after the flood. */
  const floods = new Map<string, Map<string, number>>()

  function forget(stream: object): void {
    const noted = byStream.get(stream)
    if (!noted) return
    byStream.delete(stream)
    byUser.delete(noted.device.userId, noted)
  }

  function logNew(userId: string, leftOut: readonly OmittedTable[], before: readonly OmittedTable[] = []): void {
    const id = ({ table, policy }: OmittedTable): string => JSON.stringify([table, policy])
    const previouslyLogged = new Set(before.map(id))
    for (const one of leftOut) {
      if (previouslyLogged.has(id(one))) continue
      const { table, policy, buckets } = one
      const authors = authorsOf(userId).map(({ author, rows }) => `${author} (${rows} rows)`)
      logger.log('warn', 'a person has too many buckets of a table, which is left out for them', {
        person: userId,
        table,
        policy,
        buckets,
        ...(authors.length > 0 ? { authors } : {}),
      })
    }
  }

  function authorsOf(userId: string): readonly FloodAuthor[] {
    return [...(floods.get(userId) ?? [])]
      .map(([author, rows]) => ({ author, rows }))
      .toSorted((one, other) => other.rows - one.rows)
  }

  function noteFlood(stream: object, userId: string): void {
    const own = changes.get(stream)
    if (!own || own.size === 0) return
    const known = floods.get(userId) ?? new Map<string, number>()
    for (const [author, rows] of own) count(known, author, rows)
    own.clear()
    floods.delete(userId)
    floods.set(userId, known)
    const [oldest] = floods.keys()
    if (floods.size > FLOODED_USERS_MAX && oldest !== undefined) floods.delete(oldest)
  }

  return {
    note(stream, device, found) {
      const before = byStream.get(stream)
      const { leftOut } = found
      if (leftOut.length > 0) noteFlood(stream, device.userId)
      forget(stream)
      const incomplete = incompleteTables(found)
      const noted =
        leftOut.length + incomplete.length > 0
          ? { device, leftOut, incomplete }
          : { device, leftOut: NOTHING, incomplete: NOTHING }
      byStream.set(stream, noted)
      byUser.add(device.userId, noted)
      logNew(device.userId, leftOut, before?.leftOut)
    },
    forget,
    changed(stream, author) {
      const known = changes.get(stream)
      if (known) count(known, author, 1)
      else changes.set(stream, new Map([[author, 1]]))
    },
    list() {
      const all = [...byStream.values()].flatMap(({ device, leftOut }) =>
        leftOut.map((one) => ({ ...one, person: device.userId, authors: authorsOf(device.userId) })),
      )
      return [...new Map(all.map((one) => [JSON.stringify([one.person, one.table, one.policy]), one])).values()]
    },
    incomplete({ userId, clientId }) {
      const noted = [...byUser.of(userId)].filter(({ device }) => clientId === '' || device.clientId === clientId)
      return noted.length > 0 ? unique(noted.flatMap(({ incomplete }) => incomplete)) : undefined
    },
  }
}

// Shared by all complete devices.
const NOTHING: readonly never[] = []

/** Beyond the maximum number of authors, forgets the one with the fewest rows. */
function count(authors: Map<string, number>, author: string, rows: number): void {
  const before = authors.get(author)
  if (before === undefined && authors.size >= FLOOD_AUTHORS_MAX) {
    const [fewest] = [...authors].toSorted(([, one], [, other]) => one - other)
    if (fewest) authors.delete(fewest[0])
  }
  authors.set(author, (before ?? 0) + rows)
}

function unique(tables: readonly IncompleteTable[]): readonly IncompleteTable[] {
  return [...new Map(tables.map((one) => [JSON.stringify(one), one])).values()]
}

function incompleteTables({ active, leftOut, evaluated, author }: FoundOmissions): readonly IncompleteTable[] {
  // Usually no name is needed.
  let localNames: ReadonlyMap<string, string> | undefined
  const of = (table: string, reason: IncompleteTable['reason'], policy: string | undefined): IncompleteTable => ({
    table: (localNames ??= localNamesOf(active)).get(table) ?? table,
    reason,
    ...(policy === undefined ? {} : { policy }),
  })
  const lists = new Set(evaluated.flatMap(({ asked }) => [...(asked?.keys() ?? [])]))
  return unique([
    ...leftOut.map(({ table, policy }) => of(table, 'too_many_groups', policy)),
    ...[...lists].flatMap((list) => reasonsOf(list, author).map((reason) => of(list.table, reason, list.policy))),
    ...evaluated.flatMap(({ failing = [] }) => failing.map((table) => of(table, 'policy_fails', undefined))),
    ...evaluated.flatMap(({ unread = [] }) => unread.map((table) => of(table, 'being_read', undefined))),
  ])
}

function localNamesOf({ tables }: ActivePlan): ReadonlyMap<string, string> {
  return new Map([...tables.values()].map(({ table }) => [`${table.schema}.${table.name}`, table.localName]))
}
