import type { Invitation, ListedInvitation, Operator, OperatorRole } from '@holdfast/protocol'
import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import { invalidRequest, invitationInvalid, operatorExists } from '../errors.ts'
import { INVITATION_HOURS } from '../limits.ts'
import { insertOperator } from './operators.ts'
import { createSecretKey, hashKey } from './secret-key.ts'

interface InvitationRow {
  readonly email: string | null
  readonly role: OperatorRole
  readonly operator_id: string | null
}

/** Links by which operators create their account or set a new password. Each works once. */
export class Invitations {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Invites an address, or an existing operator to set a new password. Replaces an earlier invitation of the address.
   *
   * @param input.mayExist - whether an existing operator gets a recovery link
   * @returns the key of the link
   * @throws {HoldfastError} `operator_exists`
   */
  async create(input: {
    readonly email: string
    readonly role: OperatorRole
    readonly invitedBy: string
    readonly mayExist: boolean
  }): Promise<string> {
    const { key, hash } = createSecretKey()
    await this.#pool.transaction(async (tx) => {
      const [known] = await tx.query<{ id: string; role: OperatorRole }>(
        sql`select id, role from holdfast_console.operators where lower(email) = lower(${input.email})`,
      )
      if (known && !input.mayExist) throw operatorExists()
      await tx.execute(sql`
        delete from holdfast_console.invitations where lower(email) = lower(${input.email}) or expires_at < now()`)
      await tx.execute(sql`
        insert into holdfast_console.invitations (key_hash, email, role, operator_id, invited_by, expires_at)
        values (${hash}, ${input.email}, ${known?.role ?? input.role}, ${known?.id ?? null}, ${input.invitedBy},
                now() + make_interval(hours => ${INVITATION_HOURS}))`)
    })
    return key
  }

  /** Creates the link that a start prints while there is no operator. @returns its key; `undefined` once there is one */
  async createFirst(): Promise<string | undefined> {
    const { key, hash } = createSecretKey()
    const created = await this.#pool.transaction(async (tx) => {
      await tx.execute(sql`delete from holdfast_console.invitations where email is null`)
      return await tx.execute(sql`
        insert into holdfast_console.invitations (key_hash, role, expires_at)
        select ${hash}, 'owner', now() + make_interval(hours => ${INVITATION_HOURS})
         where not exists (select from holdfast_console.operators)`)
    })
    return created === 1 ? key : undefined
  }

  /** @throws {HoldfastError} `invitation_invalid` */
  async read(key: string): Promise<Invitation> {
    const row = await findInvitation(this.#pool, key)
    return { email: row.email, role: row.role, isRecovery: row.operator_id !== null }
  }

  async list(): Promise<readonly ListedInvitation[]> {
    return await this.#pool.query<ListedInvitation>(sql`
      select email, role, operator_id is not null as "isRecovery", invited_by as "invitedBy", expires_at as "expiresAt"
        from holdfast_console.invitations where expires_at > now() and email is not null order by created_at desc`)
  }

  /** @returns whether there was one */
  async revoke(email: string): Promise<boolean> {
    return (
      (await this.#pool.execute(sql`delete from holdfast_console.invitations where lower(email) = lower(${email})`)) > 0
    )
  }

  /**
   * Uses up an invitation: creates the operator or sets the new password, which removes a second factor and ends all sessions.
   *
   * @param input.email - for a first operator
   * @returns the operator's id, and whether it was created
   * @throws {HoldfastError} `invitation_invalid`, `operator_exists`, `invalid_request`
   */
  async accept(input: {
    readonly key: string
    readonly name: string
    readonly email?: string | undefined
    readonly passwordHash: string
  }): Promise<Pick<Operator, 'id' | 'email' | 'role'> & { readonly isRecovery: boolean }> {
    return await this.#pool.transaction(async (tx) => {
      const row = await findInvitation(tx, input.key, true)
      const email = row.email ?? input.email
      if (email === undefined) throw invalidRequest('"email" is missing.')
      // The first link creates one operator, even if two browsers use it at once.
      const used = await tx.execute(
        sql`delete from holdfast_console.invitations where key_hash = ${hashKey(input.key)}`,
      )
      if (used === 0) throw invitationInvalid()
      if (row.operator_id !== null) {
        await tx.execute(sql`
          update holdfast_console.operators
             set password_hash = ${input.passwordHash}, totp_secret = null, totp_confirmed_at = null, totp_last_step = null
           where id = ${row.operator_id}`)
        await tx.execute(sql`delete from holdfast_console.sessions where operator_id = ${row.operator_id}`)
        return { id: row.operator_id, email, role: row.role, isRecovery: true }
      }
      const { name, passwordHash } = input
      const id = await insertOperator(tx, { email, name, role: row.role, passwordHash })
      return { id, email, role: row.role, isRecovery: false }
    })
  }
}

async function findInvitation(db: Queryable, key: string, isLocked = false): Promise<InvitationRow> {
  const [row] = await db.query<InvitationRow>(sql`
    select email, role, operator_id from holdfast_console.invitations
     where key_hash = ${hashKey(key)} and expires_at > now()
       and (email is not null or not exists (select from holdfast_console.operators))
    ${isLocked ? sql`for update` : sql``}`)
  if (!row) throw invitationInvalid()
  return row
}
