import type { BucketDefinition, Dependency, StreamPlan, SyncPlan, TablePlan } from '@holdfast/policy'
import type { StoredDefinition } from '../storage/bucket-storage.ts'
import { createClassList, type ClassList } from './class-list.ts'
import { classListId, contentOf } from '../storage/definition-content.ts'

/** A dependency of one or more definitions. */
export interface PlannedDependency extends Dependency {
  /** The same for equal dependencies, whatever definition they come from. */
  readonly key: string
}

/** A definition as it is being served. */
export interface ActiveDefinition {
  readonly definition: BucketDefinition
  readonly stored: StoredDefinition
  /** Its buckets are being filled: no device gets them yet. */
  readonly isUnfilled: boolean
  /** For access-class definitions: the existing classes. */
  readonly classes: ClassList | undefined
}

/** Plan data for the streams of one role. */
export interface RolePlan {
  readonly definitions: readonly ActiveDefinition[]
  readonly dependencies: readonly PlannedDependency[]
}

/** A declared stream, the one of all tables that no declared stream names, or one table of it. */
export interface ActiveStream extends Pick<StreamPlan, 'name' | 'priority' | 'parameters'> {
  readonly isDefault: boolean
  /** The problem of its declaration, for the device's log. */
  readonly problem: string | undefined
  readonly roles: ReadonlyMap<string, RolePlan>
  /** By role: tables (local names) still being read. Devices get none of their rows yet. */
  readonly unread: ReadonlyMap<string, ReadonlySet<string>>
}

/** A compiled plan with the buckets that exist for it. */
export interface ActivePlan {
  readonly plan: SyncPlan
  /** Definitions for routing rows, without duplicates per role. */
  readonly tables: ReadonlyMap<number, { readonly table: TablePlan; readonly definitions: readonly ActiveDefinition[] }>
  /** By name; default streams first. */
  readonly streams: ReadonlyMap<string, ActiveStream>
  /** By table OID. */
  readonly dependencies: ReadonlyMap<number, readonly PlannedDependency[]>
}

/** All that the policies allow, of the tables that no declared stream names. */
export const DEFAULT_STREAM = 'everything'

/** The part of {@link DEFAULT_STREAM} that is one table: a device that has the default can ask for it at a more urgent priority. Declared streams have no `/` in their names. */
function streamOfTable({ localName }: TablePlan): string {
  return `${DEFAULT_STREAM}/${localName}`
}

const DEFAULT_PRIORITY = 3

function keyed(dependency: Dependency): PlannedDependency {
  const pin = dependency.pin ? JSON.stringify(dependency.pin) : ''
  const clock = dependency.clock ? JSON.stringify(dependency.clock) : ''
  return { ...dependency, key: `${dependency.oid}/${[...dependency.columns].sort().join(',')}/${pin}${clock}` }
}

function unique(dependencies: readonly PlannedDependency[]): PlannedDependency[] {
  return [...new Map(dependencies.map((dependency) => [dependency.key, dependency])).values()]
}

const NONE: ReadonlySet<number> = new Set()
const NOTHING_UNREAD: ActiveStream['unread'] = new Map()

/** How many classes a list may have, and how many of them one author may bring. */
export type ClassLimits = Pick<ClassList, 'max' | 'perAuthorMax'> & {
  /** How often classes that are left out are looked at again, in milliseconds; 30 s by default. */
  readonly recountMs?: number | undefined
}

const NO_LIMITS: ClassLimits = { max: Number.POSITIVE_INFINITY, perAuthorMax: Number.POSITIVE_INFINITY }

/**
 * Ties a plan to the stored definitions. Definitions without one are not served.
 *
 * @param unfilled - numbers of those that are not complete: changes go into their buckets, and no device gets them
 */
export function activatePlan(
  plan: SyncPlan,
  stored: readonly StoredDefinition[],
  unfilled: ReadonlySet<number> = NONE,
  limits: ClassLimits = NO_LIMITS,
): ActivePlan {
  const byId = new Map(stored.map((definition) => [definition.id, definition]))
  const tables = new Map<number, { table: TablePlan; definitions: ActiveDefinition[] }>()
  const perStream = new Map<string, Map<string, ActiveDefinition[]>>()
  const unread: Unread = new Map()
  const all: PlannedDependency[] = []
  for (const table of plan.tables) {
    const definitions = new Map<string, ActiveDefinition>()
    for (const definition of table.definitions) {
      const known = byId.get(definition.id)
      if (!known) continue
      // The rows in the buckets are the same, and so are the classes that they fall into.
      const classes =
        definition.accessClass &&
        (definitions.get(definition.id)?.classes ??
          createClassList({
            linked: definition.accessClass.link?.keys ?? 0,
            id: classListId(contentOf(table, definition)) ?? '',
            max: limits.max,
            perAuthorMax: limits.perAuthorMax,
            table: `${table.schema}.${table.name}`,
            policy: definition.policies[0],
          }))
      const active = { definition, stored: known, isUnfilled: unfilled.has(known.number), classes }
      if (!definitions.has(definition.id)) definitions.set(definition.id, active)
      const streams = definition.stream === undefined ? [DEFAULT_STREAM, streamOfTable(table)] : [definition.stream]
      if (active.isUnfilled) {
        for (const stream of streams) addUnread(unread, stream, definition.roles, table.localName)
        continue
      }
      all.push(...definition.dependencies.map(keyed))
      for (const stream of streams) {
        const perRole = perStream.get(stream) ?? new Map<string, ActiveDefinition[]>()
        perStream.set(stream, perRole)
        for (const role of definition.roles) perRole.set(role, [...(perRole.get(role) ?? []), active])
      }
    }
    tables.set(table.oid, { table, definitions: [...definitions.values()] })
  }
  const dependencies = new Map<number, PlannedDependency[]>()
  for (const dependency of unique(all)) {
    dependencies.set(dependency.oid, [...(dependencies.get(dependency.oid) ?? []), dependency])
  }
  return { plan, tables, streams: activateStreams(plan, perStream, unread), dependencies }
}

/** Tables of which rows are being read, by stream and role. */
type Unread = Map<string, Map<string, Set<string>>>

function addUnread(unread: Unread, stream: string, roles: readonly string[], localName: string): void {
  const perRole = unread.get(stream) ?? new Map<string, Set<string>>()
  unread.set(stream, perRole)
  for (const role of roles) perRole.set(role, (perRole.get(role) ?? new Set()).add(localName))
}

function activateStreams(
  plan: SyncPlan,
  perStream: ReadonlyMap<string, ReadonlyMap<string, readonly ActiveDefinition[]>>,
  unread: Unread,
): ReadonlyMap<string, ActiveStream> {
  const rolesOf = (stream: string): ReadonlyMap<string, RolePlan> =>
    new Map(
      [...(perStream.get(stream) ?? [])].map(([role, definitions]) => [
        role,
        {
          definitions,
          dependencies: unique(definitions.flatMap(({ definition }) => definition.dependencies.map(keyed))),
        },
      ]),
    )
  const unreadOf = (stream: string): ActiveStream['unread'] => unread.get(stream) ?? NOTHING_UNREAD
  const everything: ActiveStream = {
    name: DEFAULT_STREAM,
    priority: DEFAULT_PRIORITY,
    parameters: [],
    isDefault: true,
    problem: undefined,
    roles: rolesOf(DEFAULT_STREAM),
    unread: unreadOf(DEFAULT_STREAM),
  }
  const declared = plan.streams.map(({ name, priority, parameters, autoSubscribe, refused }): ActiveStream => {
    const [first] = refused
    const problem = first && `a query of the stream cannot be followed: ${first.reason}`
    return {
      name,
      priority,
      parameters,
      isDefault: autoSubscribe,
      problem,
      roles: rolesOf(name),
      unread: unreadOf(name),
    }
  })
  // A table that only declared streams name, or that is being filled, has a part without rows.
  const parts = plan.tables.map((table): ActiveStream => {
    const name = streamOfTable(table)
    return { ...everything, name, isDefault: false, roles: rolesOf(name), unread: unreadOf(name) }
  })
  // When every table has a stream of its own, nothing is left for it.
  const isNeeded = declared.length === 0 || everything.roles.size > 0 || everything.unread.size > 0
  const streams = [
    ...(isNeeded ? [everything] : []),
    ...declared.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault)),
    ...parts,
  ]
  return new Map(streams.map((stream) => [stream.name, stream]))
}
