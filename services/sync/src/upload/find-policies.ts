import { sql, type Transaction } from '@holdfast/postgres'
import type { UploadOperation } from '@holdfast/protocol'
import type { WritableTable } from './writable-tables.ts'

const COMMAND_OF = { PUT: 'a', PATCH: 'w', DELETE: 'd' } as const

/**
 * Finds the permissive policies that could have allowed a refused operation: those of its command and, for updates, those of SELECT, because a row must stay
 * visible to the user who changes it. Without any, the operation was refused for lack of a policy.
 *
 * @returns names, those of the command first
 */
export async function findCandidatePolicies(
  tx: Transaction,
  input: { readonly operation: UploadOperation; readonly table: WritableTable; readonly role: string },
): Promise<readonly string[]> {
  const command = COMMAND_OF[input.operation.op]
  const rows = await tx.query<{ name: string }>(sql`
    select p.polname as name
      from pg_catalog.pg_policy p
      join pg_catalog.pg_class c on c.oid = p.polrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ${input.table.schema} and c.relname = ${input.table.name}
       and p.polpermissive
       and (p.polcmd in ('*', ${command}::"char") or ${command} = 'w' and p.polcmd = 'r')
       and exists (
         select from unnest(p.polroles) as granted (oid)
          where granted.oid = 0 or pg_catalog.pg_has_role(${input.role}, granted.oid, 'member')
       )
     order by p.polcmd = 'r', p.polname
  `)
  return rows.map((row) => row.name)
}

/** Returns the columns that a CHECK references. */
export async function findCheckColumns(
  tx: Transaction,
  table: WritableTable,
  constraint: string,
): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select a.attname as name
      from pg_catalog.pg_constraint k
      join pg_catalog.pg_class c on c.oid = k.conrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (k.conkey)
     where n.nspname = ${table.schema} and c.relname = ${table.name} and k.conname = ${constraint} and k.contype = 'c'
     order by a.attnum`)
  return rows.map(({ name }) => name)
}

/** Returns the columns of a unique constraint or index, unless it is one of expressions. */
export async function findUniqueColumns(
  tx: Transaction,
  table: WritableTable,
  index: string,
): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select a.attname as name
      from pg_catalog.pg_index u
      join pg_catalog.pg_class i on i.oid = u.indexrelid
      join pg_catalog.pg_class c on c.oid = u.indrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (u.indkey)
     where n.nspname = ${table.schema} and c.relname = ${table.name} and i.relname = ${index} and u.indexprs is null
     order by a.attnum`)
  return rows.map(({ name }) => name)
}

/** Returns the comment on a policy or constraint, written for users. */
export async function findRuleComment(
  tx: Transaction,
  table: WritableTable,
  rule: { readonly kind: 'policy' | 'constraint'; readonly name: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ comment: string | null }>(sql`
    select coalesce(
             obj_description((select p.oid from pg_catalog.pg_policy p
                               where p.polrelid = c.oid and p.polname = ${rule.name} and ${rule.kind} = 'policy'), 'pg_policy'),
             obj_description((select k.oid from pg_catalog.pg_constraint k
                               where k.conrelid = c.oid and k.conname = ${rule.name} and ${rule.kind} = 'constraint'), 'pg_constraint')
           ) as comment
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ${table.schema} and c.relname = ${table.name}
  `)
  return row?.comment ?? undefined
}
