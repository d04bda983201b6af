import type { Transaction } from '@holdfast/postgres'

/** Extension points. Names are those of `[auth.hook.*]` in Supabase's `config.toml`. */
export const HOOK_NAMES = [
  'custom_access_token',
  'before_user_created',
  'password_verification_attempt',
  'mfa_verification_attempt',
  'send_email',
  'send_sms',
] as const

export type HookName = (typeof HOOK_NAMES)[number]

/** A JSON object sent to or returned by a hook. */
export type HookPayload = Readonly<Record<string, unknown>>

/** The project's hooks: Postgres functions or HTTP services. */
export interface Hooks {
  has(name: HookName): boolean
  /**
   * Calls a hook. A Postgres function runs in `tx`; an HTTP request is signed according to Standard Webhooks.
   *
   * As in GoTrue, every payload gets `metadata`: an id, the time and the name.
   *
   * @param address - of the client, for `metadata.ip_address`
   * @returns the hook's response, or an empty object if it has none; `undefined` if the hook is not configured
   * @throws {HoldfastError} `hook_timeout`, `hook_timeout_after_retry`, `hook_payload_over_size_limit`,
   * `hook_payload_invalid_content_type`, `unexpected_failure`, or the hook's `error` with its `http_code` as the status
   */
  run(tx: Transaction, name: HookName, payload: HookPayload, address?: string): Promise<HookPayload | undefined>
}
