import { createHash } from 'node:crypto'
import type { BucketDefinition, Pin } from '@holdfast/policy'
import { assert } from '@holdfast/foundation'
import type { Session } from '@holdfast/postgres'
import { parseLsn } from '@holdfast/replication'
import type { ClassKey, ClassList } from './class-list.ts'
import type { ActiveStream, PlannedDependency, RolePlan } from './active-plan.ts'
import { BUCKETS_PER_CLIENT_MAX, LINK_KEYS_PER_CLIENT_MAX } from '../limits.ts'
import { bucketName } from './bucket-name.ts'
import type { Pins } from './dependency-index.ts'
import type { EvaluatedKeys, StreamSubscription } from './evaluated-keys.ts'
import { parseSnapshot } from './snapshot.ts'

const SNAPSHOT_ROW = -1
export const SNAPSHOT_QUERY = `select ${SNAPSHOT_ROW} as part, array[pg_current_snapshot()::text, pg_current_wal_insert_lsn()::text, extract(epoch from now())::text, current_setting('TimeZone')] as key`
/** Row numbers of pins start here, far above those of definitions. */
const PIN_ROWS = 1_000_000
/** Maximum values of a pin. Beyond it, every change concerns the user. */
const PIN_VALUES_MAX = 1_000
/** Row numbers of checks for parameters of other types than text, which fail for invalid values. */
const PARAMETER_ROWS = 2_000_000

export interface KeyStatement {
  readonly name: string
  readonly text: string
  /** Its parts as separate statements. */
  readonly parts: readonly KeyPart[]
}

export interface KeyPart {
  readonly text: string
  /** The parameter that the part checks, if it does nothing else. */
  readonly parameter?: string
  /** Whether the part evaluates a link of access classes. */
  readonly isOfClass: boolean
  /** The table whose buckets the part determines, by its local name. */
  readonly table?: string
}

/** Returns the part of a definition answered by a key query. */
function linkOf(definition: BucketDefinition): { readonly keys: number; readonly query: string } | undefined {
  const { accessClass, keys, keyQuery } = definition
  return accessClass ? accessClass.link : { keys: keys.length, query: keyQuery }
}

/** Returns the local name of a definition's table. */
export function tableOf({ id }: Pick<BucketDefinition, 'id'>): string {
  return id.slice(0, id.lastIndexOf('.'))
}

const statements = new WeakMap<RolePlan, KeyStatement>()

export function roleOf({ stream }: StreamSubscription, session: Session): RolePlan {
  return stream.roles.get(session.role) ?? { definitions: [], dependencies: [] }
}

/**
 * Renders all key queries of a stream for a role as one statement that returns rows `(part, key text[])`. The SQL comes from the compiled plan, parsed by
 * Postgres's own parser; values come from the session's claims and the subscription's parameters.
 */
export function statementOf(role: RolePlan, { parameters }: ActiveStream): KeyStatement {
  const known = statements.get(role)
  if (known) return known
  const parts: KeyPart[] = [
    { text: SNAPSHOT_QUERY, isOfClass: false },
    ...parameters.map(({ name, sql: read }, index) => ({
      text: `select ${PARAMETER_ROWS + index} as part, array[(${read})::text] as key`,
      parameter: name,
      isOfClass: false,
    })),
  ]
  role.definitions.forEach(({ definition }, index) => {
    const part = linkOf(definition)
    if (!part) return
    const keys = Array.from({ length: part.keys }, (_, position) => `q.k${position}`)
    const array = keys.length === 0 ? `'{}'::text[]` : `array[${keys.join(', ')}]`
    const isOfClass = definition.accessClass !== undefined
    const text = `select ${index} as part, ${array} as key from (${part.query}) q`
    // The keys are distinct. Nothing is sent if there are more than a device can hold or than are evaluated, so not all need to be fetched.
    parts.push({
      text: `(${text} limit ${(isOfClass ? LINK_KEYS_PER_CLIENT_MAX : BUCKETS_PER_CLIENT_MAX) + 1})`,
      isOfClass,
      table: tableOf(definition),
    })
  })
  role.dependencies.forEach((dependency, index) => {
    if (dependency.pin) parts.push({ text: pinText(PIN_ROWS + index, dependency.pin), isOfClass: false })
  })
  const text = parts.map((part) => part.text).join('\nunion all\n')
  const statement = { name: `sync_keys_${createHash('sha1').update(text).digest('hex').slice(0, 16)}`, text, parts }
  statements.set(role, statement)
  return statement
}

/** Returns one row for a claim. For values, one row with NULL marks that they were read, followed by a row per value. */
function pinText(part: number, pin: Pin): string {
  if ('claimSql' in pin) return `select ${part} as part, array[(${pin.claimSql})::text] as key`
  const values = `select v.k0 from (${pin.valuesSql}) as v limit ${PIN_VALUES_MAX + 1}`
  return `select ${part} as part, array[w.k0] as key from (select null::text as k0 union all (${values})) as w`
}

export type KeyRow = readonly [part: number, key: readonly (string | null)[]]

export type SnapshotAt = Pick<EvaluatedKeys, 'snapshot' | 'upTo' | 'now'>

/** All statements of a transaction share one snapshot, so any row will do. */
export function snapshotIn(rows: readonly KeyRow[]): SnapshotAt {
  const row = rows.find(([part]) => part === SNAPSHOT_ROW)
  const upTo = parseLsn(row?.[1][1] ?? '')
  assert(row && upTo !== undefined, 'the row tells the snapshot')
  return { snapshot: parseSnapshot(row[1][0] ?? ''), upTo, now: { at: row[1][2] ?? '', timeZone: row[1][3] ?? '' } }
}

/** A user's link keys by class list. */
export type LinkKeys = ReadonlyMap<ClassList, readonly ClassKey[]>

export function collect(
  role: RolePlan,
  rows: readonly KeyRow[],
): {
  readonly bucketNames: readonly string[]
  readonly pins: Pins
  readonly linkKeys: LinkKeys
} {
  const linkKeys = new Map<ClassList, ClassKey[]>()
  const names = new Set<string>()
  const pins = new Map<string, (string | null)[]>()
  for (const [part, key] of rows) {
    if (part >= PARAMETER_ROWS || part === SNAPSHOT_ROW) continue
    if (part >= PIN_ROWS) {
      const dependency = role.dependencies[part - PIN_ROWS]
      if (!dependency) continue
      const values = pins.get(dependency.key)
      if (values) values.push(key[0] ?? null)
      else pins.set(dependency.key, [key[0] ?? null])
    } else {
      const active = role.definitions[part]
      if (active?.classes) {
        const keys = linkKeys.get(active.classes)
        if (keys) keys.push(key)
        else linkKeys.set(active.classes, [key])
      } else if (active) names.add(bucketName(active.stored, key as readonly string[]))
    }
  }
  return { bucketNames: [...names], pins, linkKeys }
}

/** Collects what a user's subscriptions depend on. */
export function createPins(): {
  add(role: RolePlan, values: Pins): void
  taken(): Pick<EvaluatedKeys, 'dependencies' | 'pins'>
} {
  const pins = new Map<string, readonly (string | null)[] | undefined>()
  const dependencies = new Map<string, PlannedDependency>()
  return {
    add(role, values) {
      for (const dependency of role.dependencies) {
        dependencies.set(dependency.key, dependency)
        const added = values.get(dependency.key)
        const before = pins.has(dependency.key) ? pins.get(dependency.key) : []
        const isKnown = before && added && before.length + added.length <= PIN_VALUES_MAX
        pins.set(dependency.key, isKnown ? [...before, ...added] : undefined)
      }
    },
    taken() {
      const pinned = [...pins].flatMap(([key, values]) => (values ? [[key, values] as const] : []))
      return { dependencies: [...dependencies.values()], pins: new Map(pinned) }
    },
  }
}
