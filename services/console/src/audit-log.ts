import type { ListedAuditEntry, Operator } from '@holdfast/protocol'
import { sql, type Pool } from '@holdfast/postgres'
import { AUDIT_DAYS, AUDIT_PURGE_ROWS, AUDIT_VALUE_BYTES_MAX } from './limits.ts'

/** An action of an operator. */
export interface AuditEntry {
  readonly operator: Pick<Operator, 'id' | 'email' | 'role'> | undefined
  readonly action: string
  /** The changed thing: `user 0190…`, `table public.orders`. */
  readonly target?: string
  readonly before?: unknown
  readonly after?: unknown
  /** Message of a failed action. */
  readonly error?: string
  readonly address: string
  readonly requestId: string
}

export interface AuditFilter {
  readonly operator?: string | undefined
  readonly action?: string | undefined
  readonly target?: string | undefined
  /** Only entries before this id. */
  readonly before?: string | undefined
  readonly limit: number
}

/** The log of everything that operators change. Entries can only be added; old ones are purged. */
export class AuditLog {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async add(entry: AuditEntry): Promise<void> {
    const { operator, action, target = null, error = null, address, requestId } = entry
    await this.#pool.execute(sql`
      insert into holdfast_console.audit_log
        (operator_id, operator, role, action, target, before, after, error, address, request_id)
      values (${operator?.id ?? null}, ${operator?.email ?? 'nobody'}, ${operator?.role ?? null}, ${action}, ${target},
              ${shorten(entry.before)}::jsonb, ${shorten(entry.after)}::jsonb, ${error}, ${address}, ${requestId})`)
    await this.#purge()
  }

  async list({ operator, action, target, before, limit }: AuditFilter): Promise<readonly ListedAuditEntry[]> {
    return await this.#pool.query<ListedAuditEntry>(sql`
      select id::text, at, operator, role, action, target, before, after, error, address, request_id as "requestId"
        from holdfast_console.audit_log l
       where (${operator ?? null}::text is null or operator = ${operator ?? null})
         and (${action ?? null}::text is null or action = ${action ?? null})
         and (${target ?? null}::text is null or strpos(lower(target), lower(${target ?? null})) > 0)
         and (${before ?? null}::bigint is null or l.id < ${before ?? null}::bigint)
       order by l.id desc limit ${limit}`)
  }

  async #purge(): Promise<void> {
    await this.#pool.execute(sql`
      delete from holdfast_console.audit_log where id in (
        select id from holdfast_console.audit_log where at < now() - make_interval(days => ${AUDIT_DAYS})
         order by at limit ${AUDIT_PURGE_ROWS})`)
  }
}

/** Encodes a value as JSON, cut if it is large. */
function shorten(value: unknown): string | null {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) <= AUDIT_VALUE_BYTES_MAX) return text
  return JSON.stringify({ cut: Buffer.from(text).subarray(0, AUDIT_VALUE_BYTES_MAX).toString().replace(/�$/, '') })
}
