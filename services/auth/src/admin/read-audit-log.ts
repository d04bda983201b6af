import { sql, type Pool } from '@holdfast/postgres'
import { validationFailed } from '../errors.ts'
import { offsetOf, type Page } from './pagination.ts'

/** Searchable payload fields by query name. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  author: ['actor_username', 'actor_name'],
  action: ['action'],
  type: ['log_type'],
}

export interface AuditFilter {
  /** Payload fields, any of which may match. */
  readonly fields: readonly string[]
  /** Part of the field's value, ignoring case. */
  readonly text: string
}

/**
 * Parses `query=author:a person`, `query=action:login`, `query=type:account`.
 *
 * @returns `undefined` for all entries
 * @throws {HoldfastError} `validation_failed`
 */
export function parseAuditQuery(query: string | undefined): AuditFilter | undefined {
  if (query === undefined || query === '') return undefined
  const mark = query.indexOf(':')
  const fields = mark < 0 || !Object.hasOwn(SCOPES, query.slice(0, mark)) ? undefined : SCOPES[query.slice(0, mark)]
  if (!fields) throw validationFailed(`Invalid query scope: ${query}`)
  return { fields, text: query.slice(mark + 1) }
}

/** Returns audit entries, newest first, and their total number. */
export async function readAuditLog(
  pool: Pool,
  input: { readonly filter: AuditFilter | undefined; readonly page: Page },
): Promise<{ readonly entries: readonly Record<string, unknown>[]; readonly total: number }> {
  const { filter, page } = input
  const condition =
    filter === undefined || filter.text === ''
      ? sql`true`
      : sql`exists (
          select from unnest(${filter.fields}::text[]) as field where entries.payload ->> field ilike ${`%${filter.text}%`}
        )`
  const [[count], entries] = await Promise.all([
    pool.query<{ total: string }>(
      sql`select count(*) as total from auth.audit_log_entries as entries where ${condition}`,
    ),
    pool.query<{ id: string; payload: unknown; created_at: Date | null; ip_address: string }>(sql`
      select id, payload, created_at, ip_address
        from auth.audit_log_entries as entries
       where ${condition}
       order by created_at desc nulls last, id desc
       limit ${page.rows} offset ${offsetOf(page)}
    `),
  ])
  return { entries: entries.map((entry) => ({ ...entry })), total: Number(count?.total ?? 0) }
}
