import { ADVICE_LEVELS, type Advice } from '@holdfast/protocol'
import { sql, type Queryable } from '@holdfast/postgres'
import { PLATFORM_SCHEMAS } from '../migrate/hosted-schemas.ts'

/** What checks know beside the catalog. Unknown values are missing, and their checks are left out. */
export interface AdviceContext {
  /** Schemas that the API exposes. */
  readonly exposedSchemas: readonly string[]
  /** Tables that do not sync, with the reason. */
  readonly refused?:
    | readonly { readonly table: string; readonly policy?: string; readonly reason: string }[]
    | undefined
  readonly jwt?: {
    /** Bytes of a shared secret; `undefined` for key pairs. */
    readonly secretBytes: number | undefined
    readonly isWellKnown: boolean
    /** Seconds. */
    readonly lifetimeS: number
  }
}

/** One check. */
export interface Lint extends Pick<Advice, 'name' | 'level' | 'category'> {
  find(db: Queryable, context: AdviceContext): Promise<readonly Found[]>
}

/** A finding of a check; its level may differ from that of the check. */
export type Found = Omit<Advice, 'name' | 'level' | 'category'> & Partial<Pick<Advice, 'level'>>

/** Schemas of Holdfast and Postgres, whose objects projects do not change. */
export const OWN_SCHEMAS: readonly string[] = [...PLATFORM_SCHEMAS, 'information_schema']

/** Whether a schema, as `n.nspname`, belongs to the project. */
export const OF_PROJECT = sql`(n.nspname <> all (${[...OWN_SCHEMAS]}::text[]) and n.nspname !~ '^pg_')`

/** Whether an object of `pg_class c` belongs to no extension. */
export const OF_NO_EXTENSION = sql`not exists (
  select from pg_catalog.pg_depend e where e.classid = 'pg_catalog.pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')`

/** Orders advice by urgency, then by name and object. */
export function compareAdvice(one: Advice, other: Advice): number {
  return (
    ADVICE_LEVELS.indexOf(one.level) - ADVICE_LEVELS.indexOf(other.level) ||
    compareTexts(one.name, other.name) ||
    compareTexts(one.object, other.object)
  )
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
