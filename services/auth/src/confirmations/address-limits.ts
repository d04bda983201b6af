import { createHash } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'
import { tooSoon } from '../errors.ts'
import {
  ADDRESS_LIMIT_LIFETIME_S,
  ADDRESS_LIMITS_CLEANED_EVERY,
  ADDRESS_LIMITS_CLEANED_MAX,
  WRONG_CODE_REFILL_S,
  WRONG_CODES_MAX,
} from '../limits.ts'

/** Messages counted per address. Mails of one kind share a limit, as in GoTrue. */
export type AddressLimitKind =
  | 'code'
  | 'confirmation'
  | 'recovery'
  | 'email_change'
  | 'phone_change'
  | 'reauthentication'

let changesUntilCleaning = ADDRESS_LIMITS_CLEANED_EVERY

/**
 * Counts a message for an address. Refusal and work are the same whether or not the address has an account.
 *
 * @param input.address - lowercase email, digits of a number, or the id of a user with neither
 * @param input.frequencyS - minimum interval in seconds; 0 for none
 * @throws {HoldfastError} `over_email_send_rate_limit`, `over_sms_send_rate_limit`
 */
export async function takeMessage(
  db: Queryable,
  input: {
    readonly address: string
    readonly kind: AddressLimitKind
    readonly channel: 'mail' | 'sms'
    readonly frequencyS: number
    readonly nowMs: number
  },
): Promise<void> {
  const { address, kind, frequencyS, nowMs } = input
  if (await fill(db, { address, kind, capacity: 1, refillS: frequencyS, nowMs })) return
  const [row] = await db.query<{ updated_at: Date }>(
    sql`select updated_at from auth.address_limits where digest = ${digestOf(address)} and kind = ${kind}`,
  )
  const waitMs = (row?.updated_at.getTime() ?? nowMs) + frequencyS * 1000 - nowMs
  throw tooSoon(input.channel, Math.max(1, Math.ceil(waitMs / 1000)))
}

/**
 * Counts an attempt before the code is checked, so that concurrent attempts count too. A correct code is refunded.
 *
 * @returns false after too many attempts; the caller answers as for a wrong code, whether or not the address has an account
 */
export async function isCodeAttemptLeft(
  db: Queryable,
  input: { readonly address: string; readonly nowMs: number },
): Promise<boolean> {
  return fill(db, { ...input, kind: 'code', capacity: WRONG_CODES_MAX, refillS: WRONG_CODE_REFILL_S })
}

/** Refunds the attempt of a correct code. */
export async function returnCodeAttempt(db: Queryable, address: string): Promise<void> {
  await db.execute(sql`
    update auth.address_limits set level = greatest(0, level - 1) where digest = ${digestOf(address)} and kind = 'code'
  `)
}

/** @returns whether the bucket had room */
async function fill(
  db: Queryable,
  input: {
    readonly address: string
    readonly kind: AddressLimitKind
    readonly capacity: number
    readonly refillS: number
    readonly nowMs: number
  },
): Promise<boolean> {
  const { kind, capacity, refillS } = input
  const now = new Date(input.nowMs).toISOString()
  await cleanNowAndThen(db, now)
  const rows = await db.query(sql`
    insert into auth.address_limits as kept (digest, kind, level, updated_at)
    values (${digestOf(input.address)}, ${kind}, 1, ${now})
    on conflict (digest, kind) do update
       set level = 1 + greatest(
             0, kept.level - extract(epoch from (excluded.updated_at - kept.updated_at)) / ${Math.max(refillS, 0.001)}::float8
           ),
           updated_at = excluded.updated_at
     where greatest(
             0, kept.level - extract(epoch from (excluded.updated_at - kept.updated_at)) / ${Math.max(refillS, 0.001)}::float8
           ) <= ${capacity - 1}::float8
        or ${refillS === 0}
    returning kind
  `)
  return rows.length > 0
}

async function cleanNowAndThen(db: Queryable, now: string): Promise<void> {
  changesUntilCleaning -= 1
  if (changesUntilCleaning > 0) return
  changesUntilCleaning = ADDRESS_LIMITS_CLEANED_EVERY
  await db.execute(sql`
    delete from auth.address_limits
     where ctid in (
       select ctid from auth.address_limits
        where updated_at < ${now}::timestamptz - make_interval(secs => ${ADDRESS_LIMIT_LIFETIME_S})
        limit ${ADDRESS_LIMITS_CLEANED_MAX}
          for update skip locked
     )
  `)
}

function digestOf(address: string): string {
  return createHash('sha256').update(address).digest('base64url')
}
