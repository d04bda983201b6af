import type { BucketDefinition, Dependency, StreamPlan, SyncPlan, TablePlan } from '@holdfast/policy'
import type { StoredDefinition } from '../storage/bucket-storage.ts'
import { createClassList, type ClassList } from './class-list.ts'
import { classListId, contentOf } from '../storage/definition-content.ts'

/** A dependency of one or more definitions. */
export interface PlannedDependency extends Dependency {
  /** Equal for equal dependencies of different definitions. */
  readonly key: string
}

/** A definition and its buckets. */
export interface ActiveDefinition {
  readonly definition: BucketDefinition
  readonly stored: StoredDefinition
  /** Whether its buckets are still being filled. No device gets them yet. */
  readonly isUnfilled: boolean
  /** For access-class definitions: the existing classes. */
  readonly classes: ClassList | undefined
}

/** What a stream contains for one role. */
export interface RolePlan {
  readonly definitions: readonly ActiveDefinition[]
  readonly dependencies: readonly PlannedDependency[]
}

/** A declared stream, the default stream, or the part of the default stream that is one table. */
export interface ActiveStream extends Pick<StreamPlan, 'name' | 'priority' | 'parameters'> {
  readonly isDefault: boolean
  /** Error in the declaration, for the device's log. */
  readonly problem: string | undefined
  readonly roles: ReadonlyMap<string, RolePlan>
  /** Tables (local names) still being read, by role. Devices do not get their rows yet. */
  readonly unread: ReadonlyMap<string, ReadonlySet<string>>
}

/** A compiled plan with the buckets that exist for it. */
export interface ActivePlan {
  readonly plan: SyncPlan
  /** Definitions for routing rows; roles with equal definitions share one. */
  readonly tables: ReadonlyMap<number, { readonly table: TablePlan; readonly definitions: readonly ActiveDefinition[] }>
  /** By name; default streams first. */
  readonly streams: ReadonlyMap<string, ActiveStream>
  /** By table OID. */
  readonly dependencies: ReadonlyMap<number, readonly PlannedDependency[]>
}

/** The default stream: everything that the policies allow of tables in no declared stream. */
export const DEFAULT_STREAM = 'everything'

/**
 * Name of the part of {@link DEFAULT_STREAM} that is one table, which a device can request with a more urgent priority. Names of declared streams contain no
 * `/`.
 */
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

/** Limits of a class list, in total and per author. */
export type ClassLimits = Pick<ClassList, 'max' | 'perAuthorMax'> & {
  /** Interval in ms for checking whether omitted classes can be added; 30 s by default. */
  readonly recountMs?: number | undefined
}

const NO_LIMITS: ClassLimits = { max: Number.POSITIVE_INFINITY, perAuthorMax: Number.POSITIVE_INFINITY }

/**
 * Joins a plan with the stored definitions. Definitions that are not stored are not served.
 *
 * @param unfilled - numbers of incomplete definitions: changes go into their buckets, but no device gets them
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
      // Definitions with the same buckets share a class list.
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
  // The part is empty for a table that is only in declared streams or is being filled.
  const parts = plan.tables.map((table): ActiveStream => {
    const name = streamOfTable(table)
    return { ...everything, name, isDefault: false, roles: rolesOf(name), unread: unreadOf(name) }
  })
  // If every table is in a declared stream, the default stream is empty.
  const isNeeded = declared.length === 0 || everything.roles.size > 0 || everything.unread.size > 0
  const streams = [
    ...(isNeeded ? [everything] : []),
    ...declared.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault)),
    ...parts,
  ]
  return new Map(streams.map((stream) => [stream.name, stream]))
}
