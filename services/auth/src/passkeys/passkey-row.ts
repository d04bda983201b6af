import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'
import { violatedConstraint } from '../store.ts'
import type { Credential, NewCredential } from '../webauthn/ceremonies.ts'
import { webAuthnCredentialExists } from '../webauthn/errors.ts'

/** A row of `auth.webauthn_credentials`. */
export interface PasskeyRow {
  readonly id: string
  readonly user_id: string
  readonly credential_id: Buffer
  readonly public_key: Buffer
  readonly sign_count: string
  readonly transports: readonly string[] | null
  readonly backup_eligible: boolean
  readonly friendly_name: string
  readonly created_at: Date
  readonly last_used_at: Date | null
}

const COLUMNS = sql`
  id, user_id, credential_id, public_key, sign_count::text as sign_count, transports, backup_eligible, friendly_name,
  created_at, last_used_at
`

/** Lists a user's passkeys, oldest first. */
export function findPasskeysOfUser(db: Queryable, userId: string): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>(
    sql`select ${COLUMNS} from auth.webauthn_credentials where user_id = ${userId} order by created_at, id`,
  )
}

/** @param credentialId - base64url */
export async function findPasskeyByCredentialId(db: Queryable, credentialId: string): Promise<PasskeyRow | undefined> {
  const id = Buffer.from(credentialId, 'base64url')
  const [passkey] = await db.query<PasskeyRow>(
    sql`select ${COLUMNS} from auth.webauthn_credentials where credential_id = ${id}`,
  )
  return passkey
}

export async function countPasskeys(db: Queryable, userId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::integer as count from auth.webauthn_credentials where user_id = ${userId}`,
  )
  return row?.count ?? 0
}

/** @throws {HoldfastError} `webauthn_credential_exists` */
export async function insertPasskey(
  db: Queryable,
  input: {
    readonly userId: string
    readonly credential: NewCredential
    readonly friendlyName: string
    readonly now: string
  },
): Promise<string> {
  const { credential, now } = input
  const id = randomUUID()
  try {
    await db.execute(sql`
      insert into auth.webauthn_credentials (
        id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible, backed_up,
        friendly_name, created_at, updated_at
      ) values (
        ${id}, ${input.userId}, ${Buffer.from(credential.id, 'base64url')}, ${Buffer.from(credential.publicKey)},
        ${credential.attestationType}, ${credential.aaguid}, ${credential.signCount},
        ${JSON.stringify(credential.transports)}::jsonb, ${credential.backupEligible}, ${credential.backedUp},
        ${input.friendlyName}, ${now}, ${now}
      )
    `)
  } catch (error) {
    throw violatedConstraint(error) === 'webauthn_credentials_credential_id_key' ? webAuthnCredentialExists() : error
  }
  return id
}

/**
 * Records the use of a passkey.
 *
 * @returns `false` if its counter did not increase: a replayed signature, or two authenticators with the same key
 */
export async function notePasskeyUse(
  db: Queryable,
  input: { readonly id: string; readonly signCount: number; readonly backedUp: boolean; readonly now: string },
): Promise<boolean> {
  const { signCount, now } = input
  const used = await db.query(sql`
    update auth.webauthn_credentials
       set sign_count = ${signCount}, backed_up = ${input.backedUp}, last_used_at = ${now}, updated_at = ${now}
     where id = ${input.id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount} = 0))
    returning id
  `)
  return used.length === 1
}

/** @returns the changed passkey; `undefined` if the user has none with that id */
export async function renamePasskey(
  db: Queryable,
  input: { readonly id: string; readonly userId: string; readonly friendlyName: string; readonly now: string },
): Promise<PasskeyRow | undefined> {
  const [passkey] = await db.query<PasskeyRow>(sql`
    update auth.webauthn_credentials
       set friendly_name = ${input.friendlyName}, updated_at = ${input.now}
     where id = ${input.id} and user_id = ${input.userId}
    returning ${COLUMNS}
  `)
  return passkey
}

export async function deletePasskeyOfUser(
  db: Queryable,
  input: { readonly id: string; readonly userId: string },
): Promise<boolean> {
  const deleted = await db.query(sql`
    delete from auth.webauthn_credentials where id = ${input.id} and user_id = ${input.userId} returning id
  `)
  return deleted.length === 1
}

export function credentialOf(passkey: PasskeyRow): Credential {
  return {
    id: passkey.credential_id.toString('base64url'),
    publicKey: Uint8Array.from(passkey.public_key),
    signCount: Number(passkey.sign_count),
    transports: passkey.transports ?? [],
    backupEligible: passkey.backup_eligible,
  }
}

/** Renders auth-js's `PasskeyListItem`. */
export function renderPasskey(passkey: PasskeyRow): Record<string, unknown> {
  return {
    id: passkey.id,
    ...(passkey.friendly_name === '' ? {} : { friendly_name: passkey.friendly_name }),
    created_at: passkey.created_at.toISOString(),
    ...(passkey.last_used_at === null ? {} : { last_used_at: passkey.last_used_at.toISOString() }),
  }
}
