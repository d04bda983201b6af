import { PLATFORM_SCHEMAS } from './hosted-schemas.ts'

/** SQL condition: whether a database contains a project already. */
export const IS_TAKEN = `exists (select from auth.users) or exists (select from storage.buckets)
        or exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                    where c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'supabase_migrations', ${PLATFORM_SCHEMAS.map((name) => `'${name}'`).join(', ')})
                      and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))`

/** Refuses a database that contains a project. */
export const EMPTY_CHECK = `do $$ begin
  if to_regclass('auth.users') is null or to_regclass('storage.buckets') is null then
    raise exception 'This database has no schemas auth and storage: it is not the database of a Supabase project.';
  end if;
  if ${IS_TAKEN} then
    raise exception 'This database has a project in it. Nothing was loaded. With -v into_existing=1 it is loaded all the same.';
  end if;
end $$;
`

/** Revokes the target's default privileges, which would add to the scripts' grants. */
export const REVOKE_DEFAULTS = `do $$ declare statement text; begin
  for statement in
    select distinct pg_catalog.format('alter default privileges in schema %I revoke all on %s from %s', n.nspname,
             case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types' end,
             case when a.grantee = 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end)
      from pg_catalog.pg_default_acl d join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace, pg_catalog.aclexplode(d.defaclacl) a
     where d.defaclrole = (select oid from pg_catalog.pg_roles where rolname = current_user) and n.nspname <> 'extensions'
  loop execute statement; end loop;
end $$;`

/** Loads everything in one transaction. Rejected definitions are reported and omitted, using a savepoint each; a rejected row aborts the load. */
export const LOAD = `-- psql "$TARGET" -f load.sql
\\set ON_ERROR_STOP on
\\set ON_ERROR_ROLLBACK off
begin;
set local check_function_bodies = off;
set local search_path = '';
set local statement_timeout = 0;
set local lock_timeout = 0;
set local timezone = 'UTC';
set local client_encoding = 'UTF8';
set local standard_conforming_strings = on;
\\if :{?into_existing}
\\else
\\ir check-empty.sql
\\endif

\\set ON_ERROR_STOP off
\\set ON_ERROR_ROLLBACK on
\\ir roles.sql
\\ir schema.sql

\\set ON_ERROR_STOP on
\\set ON_ERROR_ROLLBACK off
set local session_replication_role = replica;
\\ir data.sql
set local session_replication_role = origin;

\\set ON_ERROR_STOP off
\\set ON_ERROR_ROLLBACK on
\\ir constraints-and-policies.sql
\\ir accounts-and-files.sql

\\set ON_ERROR_STOP on
\\set ON_ERROR_ROLLBACK off
commit;
`

/** Restores owners and times of files, which uploads do not preserve. */
export const FILES_AFTER = (
  columns: readonly string[],
): string => `-- psql "$TARGET" -f after-files.sql, once the bytes are there
\\set ON_ERROR_STOP on
begin;
set local session_replication_role = replica;
create temporary table files_as_they_were on commit drop as select id, ${columns.join(', ')} from storage.objects limit 0;
\\ir data/files-as-they-were.sql
update storage.objects o set ${columns.map((column) => `${column} = w.${column}`).join(', ')} from files_as_they_were w where w.id = o.id;
commit;
`

/**
 * A script that uploads a folder's files to a project, using only Node. It locates them by the script path from Node's arguments, because the server's bundle
 * replaces module URLs even in strings.
 */
export const UPLOAD_FILES = `// STORAGE_URL=https://example.supabase.co SERVICE_KEY=… node upload-files.mjs
import { openAsBlob, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const { STORAGE_URL, SERVICE_KEY } = process.env
if (!STORAGE_URL || !SERVICE_KEY) {
  console.error('Set STORAGE_URL and SERVICE_KEY first.')
  process.exit(1)
}
const SILENCE_MS = 600_000
const folder = dirname(process.argv[1])
const base = STORAGE_URL.replace(/\\/+$/, '').replace(/(?:\\/storage\\/v1)?$/, '/storage/v1')
const headers = { apikey: SERVICE_KEY, authorization: 'Bearer ' + SERVICE_KEY }
const files = readFileSync(join(folder, 'files.ndjson'), 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line))
let [sent, present, failed] = [0, 0, 0]

async function send({ bucket, name, path, contentType, cacheControl, size }) {
  const key = [bucket, ...name.split('/')].map(encodeURIComponent).join('/')
  const signal = AbortSignal.timeout(SILENCE_MS)
  const range = { ...headers, range: 'bytes=0-0' } // HEAD is answered from the row, which is there before the bytes
  const found = await fetch(base + '/object/authenticated/' + key, { headers: range, redirect: 'error', signal })
  await found.body?.cancel()
  if (found.headers.get('content-range') === 'bytes 0-0/' + size) return present++
  const answer = await fetch(base + '/object/' + key, {
    method: 'POST',
    headers: { ...headers, 'content-type': contentType, 'cache-control': cacheControl, 'x-upsert': 'true' },
    body: await openAsBlob(join(folder, path)),
    redirect: 'error', // another server would be sent the key
    signal: AbortSignal.timeout(SILENCE_MS),
  })
  if (!answer.ok) throw new Error(answer.status + ': ' + (await answer.text()).slice(0, 300))
  return sent++
}

await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let file = files.shift(); file; file = files.shift()) {
      try {
        await send(file)
      } catch (error) {
        failed++
        console.error(file.bucket + '/' + file.name + ': ' + error.message)
      }
    }
  }),
)
console.log(sent + ' files sent, ' + present + ' were there already, ' + failed + ' failed.')
process.exitCode = failed > 0 ? 1 : 0
`
