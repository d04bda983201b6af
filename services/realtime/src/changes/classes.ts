import { sql, type Queryable } from '@holdfast/postgres'
import type { RoleAccess } from './role-access.ts'

type Claims = Readonly<Record<string, unknown>>

/** Claims that differ between tokens of one user and that policies rarely read. */
const OF_TOKENS = ['exp', 'iat', 'nbf', 'jti', 'session_id']

/** Returns the token claims that no policy, function or view of the project mentions. Tokens of a user that differ only in these belong to one class. */
export async function readUnreadClaims(db: Queryable): Promise<readonly string[]> {
  const rows = await db.query<{ claim: string }>(sql`
    with texts (text) as (
      select pg_catalog.pg_get_expr(p.polqual, p.polrelid) from pg_catalog.pg_policy p
      union all
      select f.prosrc from pg_catalog.pg_proc f join pg_catalog.pg_namespace n on n.oid = f.pronamespace
       where f.oid >= 16384 and n.nspname <> all (array['sync', 'holdfast', 'realtime', 'auth', 'storage'])
         and not exists (select from pg_catalog.pg_depend d
                          where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e')
      union all
      -- Bodies in standard SQL and views are kept as trees, which have no texts: those that read the claims may read any of them.
      select ${OF_TOKENS.join(' ')} from pg_catalog.pg_proc f where f.oid >= 16384 and f.prosqlbody is not null
      union all
      select ${OF_TOKENS.join(' ')} from pg_catalog.pg_rewrite r
       where r.oid >= 16384 and exists (
         select from pg_catalog.pg_proc f join pg_catalog.pg_namespace n on n.oid = f.pronamespace
          where (n.nspname, f.proname) in (('pg_catalog', 'current_setting'), ('auth', 'jwt'))
            and r.ev_action::text like '%:funcid ' || f.oid::int8::text || ' %')
    )
    select claim from unnest(${OF_TOKENS}::text[]) claim
     where not exists (select from texts where text ~ ('\\m' || claim || '\\M'))`)
  return rows.map(({ claim }) => claim)
}

/** Returns a key: users with the same key see the same rows of a table. */
export function classOf(role: string, claims: Claims, access: RoleAccess, unread: readonly string[]): string {
  const names = access.claims ?? Object.keys(claims).filter((name) => !unread.includes(name))
  return JSON.stringify([role, ...names.toSorted().map((name) => [name, claims[name] ?? null])])
}
