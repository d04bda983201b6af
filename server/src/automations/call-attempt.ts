import type { AuthService } from '@holdfast/auth'
import type { Logger } from '@holdfast/foundation'
import type { Send } from '@holdfast/functions'
import type { Pool } from '@holdfast/postgres'
import type { AutomationCall, CallOutcome } from './call-queue.ts'

/** Sends mails and knows what became of them. */
export interface MailCalls {
  readonly send: AuthService['sendAutomationMail']
  readonly statesOf: AuthService['mailStates']
  /** Whether mails are sent; otherwise they are captured, and nobody receives them. */
  readonly hasMail: boolean
  /** URL of the workspace in the app, without trailing slash. */
  readonly home: string
}

export interface AutomationCallsOptions {
  /** Connected as the project's role. */
  readonly pool: Pool
  /** Sends webhooks, to addresses that the server may reach. */
  readonly sendOut: Send
  /** Sends requests to this server. */
  readonly sendHome: Send
  /** URL of this server, without trailing slash. */
  readonly baseUrl: string
  readonly anonKey: string
  /** Issues a token of a user for functions. `undefined` without such an account. */
  readonly tokenOf: (userId: string, lifetimeS: number) => Promise<string | undefined>
  readonly mails: MailCalls
  readonly attemptsMax: number
  readonly webhookTimeoutMs: number
  readonly functionTimeoutMs: number
  /** Delays in ms between attempts; the last one is repeated. */
  readonly retryMs: readonly number[]
  readonly logger: Logger
}

/** An attempt of a call: what to write into the run, and when to try again. */
export interface Attempt {
  readonly outcome: Omit<CallOutcome, 'attempts'>
  /** Absent for the last attempt. */
  readonly retryMs?: number
  /** Ids of queued mails. */
  readonly messages?: readonly string[]
}

/** An attempt that failed for good. */
export const failed = (reason: string, more: Partial<CallOutcome> = {}): Attempt => ({
  outcome: { ...more, state: 'failed', reason },
})

/** An attempt that failed for now, or for good after the last one. */
export function retried(
  { attemptsMax, retryMs }: Pick<AutomationCallsOptions, 'attemptsMax' | 'retryMs'>,
  { attempts }: AutomationCall,
  outcome: Omit<CallOutcome, 'attempts' | 'state'> & { readonly reason: string },
): Attempt {
  if (attempts >= attemptsMax) return { outcome: { ...outcome, state: 'failed' } }
  return {
    outcome: { ...outcome, state: 'waiting' },
    retryMs: retryMs[Math.min(attempts, retryMs.length) - 1] ?? 1_000,
  }
}
