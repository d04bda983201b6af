import { dumpSchema } from '@holdfast/postgres'
import { readEntries, type DumpEntry } from './entries.ts'
import { SILENCE_MS, type Source } from './source.ts'

/** Source of a dump. */
export interface Dumped {
  readonly source: Source
  readonly sourceUrl: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
}

/** Platform tables to which projects add policies and triggers. */
const PLATFORM_ARGS: readonly string[] = [
  '--section=post-data',
  '--table=auth.users',
  '--table=storage.objects',
  '--table=storage.buckets',
]

/** Platform objects in every project, which exist on the target or are not needed. */
const IS_PLATFORM_ACL = /^ALTER DEFAULT PRIVILEGES FOR ROLE "?(?:supabase_\w+|holdfast_\w+)"? /m

/** Returns whether a definition is one of the platform's default privileges. */
export const isPlatformGrant = (text: string): boolean => IS_PLATFORM_ACL.test(text)

/** Reads definitions in `pg_dump` format from the source's snapshot, without the platform's. */
export async function readDefinitions(
  { source, sourceUrl, applicationName }: Dumped,
  args: readonly string[],
): Promise<readonly DumpEntry[]> {
  const dump = await dumpSchema({
    url: sourceUrl,
    applicationName,
    snapshot: source.snapshot,
    args: ['--schema-only', ...args],
    silenceMs: SILENCE_MS,
  })
  return readEntries(dump).filter(
    ({ type, text }) => type !== 'SCHEMA' && type !== 'EXTENSION' && text !== '' && !isPlatformGrant(text),
  )
}

/** Reads the project's additions to platform tables: policies, and triggers with project functions. */
export async function readPlatformDefinitions(
  dumped: Dumped,
  args: readonly string[] = [],
): Promise<readonly DumpEntry[]> {
  const { schemas } = dumped.source.inventory
  return (await readDefinitions(dumped, [...PLATFORM_ARGS, ...args])).filter(({ type, text }) => {
    if (type === 'POLICY') return true
    if (type !== 'TRIGGER') return false
    const [, schema] = /EXECUTE (?:FUNCTION|PROCEDURE) "?([^".]+)"?\./.exec(text) ?? []
    return schema !== undefined && schemas.includes(schema)
  })
}

/** Returns a definition's name for reports. */
export const nameOf = ({ type, schema, name }: DumpEntry): string =>
  `${type} ${schema === '-' ? '' : `${schema}.`}${name}`

const NAME = '(?:"(?:[^"]|"")*"|[^\\s".;]+)'
const RESTRICTIVE = new RegExp(`^CREATE POLICY ${NAME} ON (${NAME}\\.${NAME}) AS RESTRICTIVE`)
const ROW_SECURITY = new RegExp(`^ALTER TABLE (${NAME}\\.${NAME}) ENABLE ROW LEVEL SECURITY`)

/**
 * @returns the statement that blocks access to a definition's table if its omission would make more rows visible: row security and restrictive policies;
 *   `undefined` for all others
 */
export function closingOf({ text }: DumpEntry): string | undefined {
  const [, table] = RESTRICTIVE.exec(text) ?? ROW_SECURITY.exec(text) ?? []
  return table === undefined ? undefined : `REVOKE ALL ON TABLE ${table} FROM PUBLIC, anon, authenticated;`
}
