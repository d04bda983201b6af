import type { ListedSession, Operator, OperatorRole } from '@holdfast/protocol'
import { sql, type Pool } from '@holdfast/postgres'
import {
  SECOND_FACTOR_MINUTES,
  SESSION_DAYS,
  SESSION_IDLE_HOURS,
  SESSION_USE_S,
  SESSIONS_PER_OPERATOR_MAX,
  USER_AGENT_CHARS_MAX,
} from '../limits.ts'
import { createSecretKey, hashKey } from './secret-key.ts'

/** Whether a request has a session, and how far its sign-in is. */
export type SessionState =
  | { readonly state: 'none' }
  | { readonly state: 'incomplete' | 'complete'; readonly id: string; readonly operator: Operator }

interface SessionRow {
  readonly id: string
  readonly is_complete: boolean
  readonly is_stale: boolean
  readonly operator_id: string
  readonly email: string
  readonly name: string
  readonly role: OperatorRole
  readonly has_second_factor: boolean
}

/** Sessions of operators, in Postgres, so that every server of the database accepts them. */
export class Sessions {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Finds the session of a cookie. Records its use at most once a minute. */
  async read(key: string | undefined): Promise<SessionState> {
    if (key === undefined) return { state: 'none' }
    const [row] = await this.#pool.query<SessionRow>(sql`
      select s.id, s.is_complete, s.used_at < now() - make_interval(secs => ${SESSION_USE_S}) as is_stale,
             o.id as operator_id, o.email, o.name, o.role, o.totp_confirmed_at is not null as has_second_factor
        from holdfast_console.sessions s join holdfast_console.operators o on o.id = s.operator_id
       where s.key_hash = ${hashKey(key)} and o.disabled_at is null and ${IS_ALIVE}`)
    if (!row) return { state: 'none' }
    if (row.is_stale) await this.#recordUse(row)
    const { operator_id: id, email, name, role, has_second_factor: hasSecondFactor } = row
    const operator = { id, email, name, role, hasSecondFactor }
    return { state: row.is_complete ? 'complete' : 'incomplete', id: row.id, operator }
  }

  async #recordUse({ id, operator_id: operatorId }: SessionRow): Promise<void> {
    await this.#pool.execute(sql`update holdfast_console.sessions set used_at = now() where id = ${id}`)
    await this.#pool.execute(sql`update holdfast_console.operators set last_seen_at = now() where id = ${operatorId}`)
  }

  /** Starts a session. @returns the key for the cookie */
  async create(input: {
    readonly operatorId: string
    readonly isComplete: boolean
    readonly address: string
    readonly userAgent: string | undefined
  }): Promise<string> {
    const { key, hash } = createSecretKey()
    const userAgent = input.userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? null
    await this.#pool.transaction(async (tx) => {
      await tx.execute(sql`delete from holdfast_console.sessions s where not ${IS_ALIVE}`)
      await tx.execute(sql`
        delete from holdfast_console.sessions where id in (
          select id from holdfast_console.sessions where operator_id = ${input.operatorId}
           order by used_at desc offset ${SESSIONS_PER_OPERATOR_MAX - 1})`)
      await tx.execute(sql`
        insert into holdfast_console.sessions (key_hash, operator_id, is_complete, address, user_agent)
        values (${hash}, ${input.operatorId}, ${input.isComplete}, ${input.address}, ${userAgent})`)
    })
    return key
  }

  /** Completes a session whose second factor was checked, under a new key. */
  async complete(id: string): Promise<string> {
    const { key, hash } = createSecretKey()
    await this.#pool.execute(
      sql`update holdfast_console.sessions set is_complete = true, key_hash = ${hash}, used_at = now() where id = ${id}`,
    )
    return key
  }

  async end(id: string): Promise<void> {
    await this.#pool.execute(sql`delete from holdfast_console.sessions where id = ${id}`)
  }

  /** Ends all sessions of an operator but one. @returns their number */
  async endOthers(operatorId: string, keptId?: string): Promise<number> {
    return await this.#pool.execute(sql`
      delete from holdfast_console.sessions where operator_id = ${operatorId} and id is distinct from ${keptId ?? null}::uuid`)
  }

  async list(operatorId: string): Promise<readonly ListedSession[]> {
    return await this.#pool.query<ListedSession>(sql`
      select s.id, s.created_at as "createdAt", s.used_at as "usedAt", s.address, s.user_agent as "userAgent"
        from holdfast_console.sessions s where s.operator_id = ${operatorId} and s.is_complete and ${IS_ALIVE}
       order by s.used_at desc`)
  }
}

/** Condition on a session `s`. */
const IS_ALIVE = sql`(
  case when s.is_complete
    then s.used_at > now() - make_interval(hours => ${SESSION_IDLE_HOURS})
     and s.created_at > now() - make_interval(days => ${SESSION_DAYS})
    else s.created_at > now() - make_interval(mins => ${SECOND_FACTOR_MINUTES})
  end)`
