import type { SqlStatement } from '@holdfast/policy'
import { sql, type Queryable } from '@holdfast/postgres'

/** Identifies our publications. */
const MARK = 'All tables of the project. Holdfast adds those that later migrations make.'

/**
 * Rewrites `create publication … for all tables`, which requires superuser. On hosted projects an extension permits it; here the project's role publishes its
 * existing tables, and {@link keepPublished} adds later ones.
 *
 * @returns the file with the same number of lines; unchanged if the role is a superuser
 */
export async function publishAsProject(
  db: Queryable,
  text: string,
  statements: readonly SqlStatement[],
): Promise<string> {
  const isMeant = ({ publishesAllAs, text: statement }: SqlStatement): boolean =>
    publishesAllAs !== undefined || (BLOCK.test(statement) && IN_BLOCK.test(statement))
  if (!statements.some(isMeant)) return text
  const [role] = await db.query<{ rolsuper: boolean }>(
    sql`select rolsuper from pg_catalog.pg_roles where rolname = current_user`,
  )
  if (role?.rolsuper === true) return text
  let written = text
  for (const one of statements.toReversed()) {
    if (!isMeant(one)) continue
    const { publishesAllAs: name, start, text: statement } = one
    const replacement =
      name === undefined
        ? statement.replace(IN_BLOCK, (found, quotedName: string) => publish(quotedName, '', found))
        : publish(quoted(name), /\bwith\s*\([\s\S]*$/i.exec(statement)?.[0] ?? '', statement)
    written = `${written.slice(0, start)}${replacement}${written.slice(start + statement.length)}`
  }
  return written
}

/** A PL/pgSQL block, whose text contains quotes unescaped. */
const BLOCK = /^do\s+(?:language\s+\w+\s+)?\$/i

/** A separate statement within such a block. */
const IN_BLOCK = /\bcreate\s+publication\s+("[^"]+"|\w+)\s+for\s+all\s+tables(?=\s*;)/i

/** Renders statements with the same number of lines as the original. */
function publish(quotedName: string, options: string, insteadOf: string): string {
  const wanted = options === '' ? 'with (publish_generated_columns = stored)' : options.replaceAll('\n', ' ')
  const lines = '\n'.repeat(insteadOf.split('\n').length - 1)
  return `create publication ${quotedName} ${wanted}; comment on publication ${quotedName} is '${MARK}'${lines}`
}

/** Adds new tables of the role to the publications of {@link publishAsProject}. */
export async function keepPublished(db: Queryable): Promise<void> {
  const missing = await db.query<{ publication: string; schema: string; table: string }>(sql`
    select p.pubname as publication, n.nspname as schema, c.relname as table
      from pg_catalog.pg_publication p
      join pg_catalog.pg_class c on c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p' and c.relowner = p.pubowner
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where p.pubowner = (select oid from pg_catalog.pg_roles where rolname = current_user)
       and pg_catalog.obj_description(p.oid, 'pg_publication') = ${MARK}
       and n.nspname <> all(array['holdfast', 'holdfast_private', 'holdfast_deleted', 'holdfast_console', 'supabase_migrations'])
       and not exists (select from pg_catalog.pg_publication_rel r where r.prpubid = p.oid and r.prrelid = c.oid)
     order by 1, 2, 3`)
  for (const { publication, schema, table } of missing)
    await db.execute(
      sql`alter publication ${sql.identifier(publication)} add table ${sql.identifier(schema)}.${sql.identifier(table)}`,
    )
}

function quoted(name: string): string {
  return sql.identifier(name).render().text
}
