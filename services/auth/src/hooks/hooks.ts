import type { Transaction } from '@holdfast/postgres'

/** The points at which a project is asked. Names are those of `[auth.hook.*]` in Supabase's `config.toml`. */
export const HOOK_NAMES = [
  'custom_access_token',
  'before_user_created',
  'password_verification_attempt',
  'mfa_verification_attempt',
  'send_email',
  'send_sms',
] as const

export type HookName = (typeof HOOK_NAMES)[number]

/** A JSON object that goes to a hook or comes from it. */
export type HookPayload = Readonly<Record<string, unknown>>

/** Functions in Postgres or services over HTTP that the project has put in the way. */
export interface Hooks {
  has(name: HookName): boolean
  /**
   * Asks a hook. One that is a Postgres function runs in `tx`; one over HTTP is signed as Standard Webhooks has it.
   *
   * Every payload gets `metadata` as GoTrue's have it: an id, the time and the name.
   *
   * @param address - of the client, for `metadata.ip_address`
   * @returns what the hook answered, an empty object when that was nothing; `undefined` when there is none of that name
   * @throws {HoldfastError} `hook_timeout`, `hook_timeout_after_retry`, `hook_payload_over_size_limit`,
   * `hook_payload_invalid_content_type`, `unexpected_failure`, or the `error` that the hook answered with, under its `http_code`
   */
  run(tx: Transaction, name: HookName, payload: HookPayload, address?: string): Promise<HookPayload | undefined>
}
