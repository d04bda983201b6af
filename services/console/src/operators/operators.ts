import type { ListedOperator, Operator, OperatorRole } from '@holdfast/protocol'
import { sql, sqlstateOf, SQLSTATE, type Pool, type Queryable } from '@holdfast/postgres'
import { lastOwner, operatorExists, operatorUnknown } from '../errors.ts'

/** An operator with the secrets that sign-in checks. */
export interface OperatorSecrets extends Operator {
  readonly passwordHash: string
  readonly totpSecret: string | null
  readonly totpLastStep: number | null
}

const LISTED = sql`
  id, email, name, role, totp_confirmed_at is not null as "hasSecondFactor", created_at as "createdAt",
  last_seen_at as "lastSeenAt", disabled_at is not null as "isDisabled"`

const WITH_SECRETS = sql`
  id, email, name, role, totp_confirmed_at is not null as "hasSecondFactor", password_hash as "passwordHash",
  totp_secret as "totpSecret", totp_last_step::float8 as "totpLastStep"`

/** The accounts of the console. Connects as the owner of schema `holdfast_console`. */
export class Operators {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async hasAny(): Promise<boolean> {
    const [row] = await this.#pool.query(sql`select from holdfast_console.operators limit 1`)
    return row !== undefined
  }

  async list(): Promise<readonly ListedOperator[]> {
    return await this.#pool.query<ListedOperator>(
      sql`select ${LISTED} from holdfast_console.operators order by disabled_at is not null, lower(name), id`,
    )
  }

  /** @throws {HoldfastError} `operator_unknown` */
  async get(id: string): Promise<ListedOperator> {
    const [row] = await this.#pool.query<ListedOperator>(
      sql`select ${LISTED} from holdfast_console.operators where id::text = ${id}`,
    )
    if (!row) throw operatorUnknown()
    return row
  }

  /** Finds an operator who may sign in. */
  async findByEmail(email: string): Promise<OperatorSecrets | undefined> {
    const [row] = await this.#pool.query<OperatorSecrets>(sql`
      select ${WITH_SECRETS} from holdfast_console.operators where lower(email) = lower(${email}) and disabled_at is null`)
    return row
  }

  /** @throws {HoldfastError} `operator_unknown` */
  async getSecrets(id: string): Promise<OperatorSecrets> {
    const [row] = await this.#pool.query<OperatorSecrets>(
      sql`select ${WITH_SECRETS} from holdfast_console.operators where id::text = ${id} and disabled_at is null`,
    )
    if (!row) throw operatorUnknown()
    return row
  }

  /** Changes name, role or state. @throws {HoldfastError} `operator_unknown`, `last_owner` */
  async change(
    id: string,
    { name, role, isDisabled }: { readonly name?: string; readonly role?: OperatorRole; readonly isDisabled?: boolean },
  ): Promise<void> {
    await this.#keepingAnOwner(async (tx) => {
      const changed = await tx.execute(sql`
        update holdfast_console.operators
           set name = coalesce(${name ?? null}, name), role = coalesce(${role ?? null}, role),
               disabled_at = case ${isDisabled ?? null}::boolean when true then coalesce(disabled_at, now()) when false then null else disabled_at end
         where id::text = ${id}`)
      if (changed === 0) throw operatorUnknown()
    })
  }

  /** @throws {HoldfastError} `operator_unknown`, `last_owner` */
  async delete(id: string): Promise<void> {
    await this.#keepingAnOwner(async (tx) => {
      await tx.execute(
        sql`delete from holdfast_console.saved_queries where operator_id::text = ${id} and not is_shared`,
      )
      const deleted = await tx.execute(sql`delete from holdfast_console.operators where id::text = ${id}`)
      if (deleted === 0) throw operatorUnknown()
    })
  }

  /** Rolls a change back that leaves no owner. Changes wait for each other, so that two owners cannot demote one another at once. */
  async #keepingAnOwner(change: (tx: Queryable) => Promise<void>): Promise<void> {
    await this.#pool.transaction(async (tx) => {
      await tx.execute(sql`lock table holdfast_console.operators in share row exclusive mode`)
      await change(tx)
      const [owner] = await tx.query(
        sql`select from holdfast_console.operators where role = 'owner' and disabled_at is null limit 1`,
      )
      if (!owner) throw lastOwner()
    })
  }

  async setPassword(id: string, passwordHash: string): Promise<void> {
    await this.#pool.execute(
      sql`update holdfast_console.operators set password_hash = ${passwordHash} where id = ${id}`,
    )
  }

  /** Stores the secret of a second factor that is not confirmed yet. */
  async offerTotp(id: string, secret: string): Promise<void> {
    await this.#pool.execute(sql`
      update holdfast_console.operators set totp_secret = ${secret}, totp_last_step = null
       where id = ${id} and totp_confirmed_at is null`)
  }

  /** Marks a code's step as used. @returns false if another request used it first */
  async useTotpStep(id: string, step: number): Promise<boolean> {
    const used = await this.#pool.execute(sql`
      update holdfast_console.operators
         set totp_last_step = ${step}, totp_confirmed_at = coalesce(totp_confirmed_at, now())
       where id = ${id} and (totp_last_step is null or totp_last_step < ${step})`)
    return used === 1
  }

  async removeTotp(id: string): Promise<void> {
    await this.#pool.execute(sql`
      update holdfast_console.operators set totp_secret = null, totp_confirmed_at = null, totp_last_step = null
       where id::text = ${id}`)
  }
}

/** Creates an operator. @returns its id @throws {HoldfastError} `operator_exists` */
export async function insertOperator(
  db: Queryable,
  operator: {
    readonly email: string
    readonly name: string
    readonly role: OperatorRole
    readonly passwordHash: string
  },
): Promise<string> {
  try {
    const [row] = await db.query<{ id: string }>(sql`
      insert into holdfast_console.operators (email, name, role, password_hash)
      values (${operator.email}, ${operator.name}, ${operator.role}, ${operator.passwordHash}) returning id`)
    return row?.id ?? ''
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.uniqueViolation) throw operatorExists()
    throw error
  }
}
