import { randomUUID } from 'node:crypto'
import { type Clock, type Logger, isRecord } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { HTTP_HOOK_BACKOFF_MS } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { isoNow } from '../store.ts'
import { type HookTarget, parseHookTarget } from './hook-target.ts'
import type { HookName, HookPayload, Hooks } from './hooks.ts'
import { readHookAnswer } from './read-answer.ts'
import { runHttpHook } from './run-http-hook.ts'
import { runPostgresHook } from './run-postgres-hook.ts'

type HookOptions = Pick<AuthOptions, Extract<keyof AuthOptions, `hook${string}`>>

/** GoTrue's hook names in `metadata.name`. */
const METADATA_NAMES: Readonly<Record<HookName, string>> = {
  custom_access_token: 'customize-access-token',
  before_user_created: 'before-user-created',
  password_verification_attempt: 'password-verification',
  mfa_verification_attempt: 'mfa-verification',
  send_email: 'send-email',
  send_sms: 'send-sms',
}

/**
 * Creates the hooks from the settings.
 *
 * @param services.backoffMs - delay between attempts of an HTTP hook
 * @throws {HoldfastError} `option_invalid` for an invalid address or secret
 */
export function createHooks(
  options: HookOptions,
  services: { readonly clock: Clock; readonly logger: Logger; readonly backoffMs?: number },
): Hooks {
  const { clock, logger, backoffMs = HTTP_HOOK_BACKOFF_MS } = services
  const targets = readTargets(options)

  return {
    has: (name) => targets.has(name),
    async run(tx, name, payload, address) {
      const target = targets.get(name)
      if (!target) return undefined
      const { metadata: given, ...rest } = payload
      const metadata = {
        uuid: randomUUID(),
        time: isoNow(clock),
        name: METADATA_NAMES[name],
        ...(address ? { ip_address: address } : {}),
        ...(isRecord(given) ? given : {}),
      }
      const startedAt = performance.now()
      try {
        return await ask(tx, target, { metadata, ...rest })
      } catch (error) {
        const durationMs = Math.round(performance.now() - startedAt)
        logger.log('warn', 'a hook refused or failed', {
          hook: name,
          uri: target.uri,
          durationMs,
          error: String(error),
        })
        throw error
      }
    },
  }

  async function ask(tx: Transaction, target: HookTarget, payload: HookPayload): Promise<HookPayload> {
    const body = JSON.stringify(payload)
    return readHookAnswer(
      target.kind === 'postgres'
        ? await runPostgresHook(tx, target, body)
        : await runHttpHook(target, body, { clock, backoffMs }),
    )
  }
}

function readTargets(options: HookOptions): ReadonlyMap<HookName, HookTarget> {
  const settings: readonly (readonly [HookName, string, string | undefined, string | undefined])[] = [
    [
      'custom_access_token',
      'hookCustomAccessTokenUri',
      options.hookCustomAccessTokenUri,
      options.hookCustomAccessTokenSecrets,
    ],
    [
      'before_user_created',
      'hookBeforeUserCreatedUri',
      options.hookBeforeUserCreatedUri,
      options.hookBeforeUserCreatedSecrets,
    ],
    [
      'password_verification_attempt',
      'hookPasswordVerificationAttemptUri',
      options.hookPasswordVerificationAttemptUri,
      options.hookPasswordVerificationAttemptSecrets,
    ],
    [
      'mfa_verification_attempt',
      'hookMfaVerificationAttemptUri',
      options.hookMfaVerificationAttemptUri,
      options.hookMfaVerificationAttemptSecrets,
    ],
    ['send_email', 'hookSendEmailUri', options.hookSendEmailUri, options.hookSendEmailSecrets],
    ['send_sms', 'hookSendSmsUri', options.hookSendSmsUri, options.hookSendSmsSecrets],
  ]
  return new Map(
    settings.flatMap(([name, option, uri, secrets]) =>
      uri === undefined || uri === '' ? [] : [[name, parseHookTarget({ option, uri, secrets })] as const],
    ),
  )
}
