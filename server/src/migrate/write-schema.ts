import { dumpSchema, quoteIdentifier, quoteLiteral, quoteName } from '@holdfast/postgres'
import { isPlatformGrant, readPlatformDefinitions, type Dumped } from './definitions.ts'
import { readEntries, type DumpEntry } from './entries.ts'
import { PLATFORM_ROLES } from './hosted-schemas.ts'
import { queuesToMake, renderQueue } from './queues.ts'
import { SILENCE_MS, type Inventory } from './source.ts'

export interface SchemaScript extends Dumped {
  /** Schemas to write; for `auth` and `storage` only the project's additions to their tables. */
  readonly schemas: readonly string[]
  /** Whether to include extensions, streams and guards. */
  readonly isWhole: boolean
  readonly extensions: Inventory['extensions']
  /** Whether to keep `pg_dump`'s comment that names each definition. */
  readonly keepsComments: boolean
}

/** Header as in `pg_dump`, which makes the rest independent of settings. */
const HEAD = `SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

`

/** Resets the session after a script. */
export const TAIL = 'RESET ALL;\n'

/**
 * Writes the definitions of schemas as SQL for `psql` or a project migration, without psql commands or rows.
 *
 * @throws errors of Postgres or `pg_dump`
 */
export async function writeSchema(script: SchemaScript, write: (text: string) => Promise<void>): Promise<void> {
  const { schemas, source } = script
  const own = schemas.filter((name) => source.inventory.schemas.includes(name))
  const entries = own.length === 0 ? [] : await readOwn(script, own)
  const attached = (await readAttached(script)).filter(({ schema }) => schemas.includes(schema))
  await write(HEAD)
  await write(renderGround(script, own, entries))
  for (const entry of [...entries.filter(isDefinition), ...attached]) await write(renderEntry(entry, script))
  await write(renderPublished(source.inventory, own))
  await write(await readDeclarations(script, own))
  await write(TAIL)
}

async function readOwn(script: SchemaScript, own: readonly string[]): Promise<readonly DumpEntry[]> {
  const dump = await dumpSchema({
    url: script.sourceUrl,
    applicationName: script.applicationName,
    snapshot: script.source.snapshot,
    args: ['--schema-only', '--quote-all-identifiers', ...own.map((name) => `--schema=${quoteIdentifier(name)}`)],
    silenceMs: SILENCE_MS,
  })
  return readEntries(dump)
}

/** Reads storage policies and user triggers, if the database has such tables. */
async function readAttached(script: SchemaScript): Promise<readonly DumpEntry[]> {
  const { tables } = script.source.inventory
  if (!tables.some(({ schema }) => schema === 'auth' || schema === 'storage')) return []
  return await readPlatformDefinitions(script, ['--quote-all-identifiers'])
}

/** Excludes schemas and extensions, which have separate statements, and the comment on `public`, which belongs to the database owner. */
function isDefinition({ type, name, text }: DumpEntry): boolean {
  if (type === 'SCHEMA' || type === 'EXTENSION' || text === '' || isPlatformGrant(text)) return false
  return type !== 'COMMENT' || !/^(?:SCHEMA "?public"?$|EXTENSION )/.test(name)
}

function renderGround(
  { isWhole, extensions }: SchemaScript,
  own: readonly string[],
  entries: readonly DumpEntry[],
): string {
  const made = own.filter((name) => name !== 'public')
  const owners = entries.filter(({ type, name }) => type === 'SCHEMA' && made.includes(name)).flatMap(ownerOf)
  return [
    ...made.map((name) => `CREATE SCHEMA IF NOT EXISTS ${quoteIdentifier(name)};\n`),
    ...owners.map((owner) => `${owner}\n`),
    ...(isWhole ? extensions : []).map(
      ({ name, schema }) =>
        `CREATE EXTENSION IF NOT EXISTS ${quoteIdentifier(name)} WITH SCHEMA ${quoteIdentifier(schema)};\n`,
    ),
    own.length === 0 ? '' : withoutDefaults(own),
    own.includes('public') ? 'REVOKE ALL ON SCHEMA "public" FROM "anon", "authenticated", "service_role";\n' : '',
    '\n',
  ].join('')
}

/**
 * Revokes the target's default privileges first: dumps contain only grants beyond Postgres's defaults, so these would add to them, including for `anon`. The
 * source's default privileges are part of the definitions.
 */
function withoutDefaults(own: readonly string[]): string {
  return `DO $$ DECLARE statement text; BEGIN
  FOR statement IN
    SELECT DISTINCT pg_catalog.format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I REVOKE ALL ON %s FROM %s', n.nspname,
             CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' END,
             CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END)
      FROM pg_catalog.pg_default_acl d JOIN pg_catalog.pg_namespace n ON n.oid = d.defaclnamespace, pg_catalog.aclexplode(d.defaclacl) a
     WHERE d.defaclrole = current_user::pg_catalog.regrole AND n.nspname IN (${own.map(quoteLiteral).join(', ')})
  LOOP EXECUTE statement; END LOOP;
END $$;
`
}

function renderEntry(entry: DumpEntry, { keepsComments }: SchemaScript): string {
  const { name, type, schema, text } = entry
  const head = keepsComments ? `--\n-- Name: ${name}; Type: ${type}; Schema: ${schema}\n--\n\n` : ''
  return `${head}${[text, ...ownerOf(entry)].join('\n\n')}\n\n`
}

/** Omits owners that are platform roles other than `postgres`, which cannot be assigned: the loading role, with fewer rights, owns these objects. */
function ownerOf({ owner }: DumpEntry): readonly string[] {
  const [, role = ''] = / OWNER TO "((?:[^"]|"")*)";$/.exec(owner ?? '') ?? []
  return owner === undefined || (role !== 'postgres' && PLATFORM_ROLES.test(role)) ? [] : [owner]
}

function renderPublished({ published }: Inventory, own: readonly string[]): string {
  return published
    .filter(({ schema }) => own.includes(schema))
    .map(({ schema, name }) => `ALTER PUBLICATION "supabase_realtime" ADD TABLE ONLY ${quoteName(schema, name)};\n`)
    .join('')
}

const GUARDS_AND_STREAMS = `
  select pg_catalog.format('SELECT sync.set_guard(%L::regclass, %L, %L::name[]);', g."table"::regclass, g.scope, g.columns::text) as statement, 0 as part, g."table"::regclass::text as name
    from sync.guards g where exists (select from pg_catalog.pg_class c where c.oid = g."table")
  union all
  select pg_catalog.format(E'SELECT pg_catalog.set_config(''search_path'', %L, false);\\nSELECT sync.create_stream(%L, %L::text[], %s, %L::boolean);',
           s.search_path, s.name, s.queries::text, s.priority, s.auto_subscribe::text), 1, s.name
    from sync.streams s
   order by 2, 3`

/** Reads declarations that migrations make through functions. They are stored as rows of tables that are not dumped, so they would silently be lost. */
async function readDeclarations({ source, isWhole }: SchemaScript, own: readonly string[]): Promise<string> {
  const { isHoldfast, queues } = source.inventory
  // The queue's tables and policies exist already.
  const lines = own.includes('pgmq') ? queuesToMake(queues).map(renderQueue) : []
  if (!isWhole || !isHoldfast) return lines.join('')
  const client = await source.connect()
  try {
    const { rows } = await client.query<{ statement: string }>(GUARDS_AND_STREAMS)
    return [...lines, ...rows.map(({ statement }) => `${statement}\n`)].join('')
  } finally {
    await client.end().catch(() => undefined) // possibly broken already
  }
}
