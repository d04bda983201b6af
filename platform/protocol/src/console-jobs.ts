/** A scheduled job as the console lists it. Times are ISO 8601. */
export interface ListedJob {
  readonly id: string
  readonly name: string | null
  readonly schedule: string
  /** `null` for viewers, because commands may hold keys. */
  readonly command: string | null
  /** The role that it runs as. */
  readonly username: string
  readonly isActive: boolean
  /** `null` if unknown, or if it runs when the server starts. */
  readonly nextAt: string | null
  readonly lastRun: JobRun | null
}

/** A run of a scheduled job. */
export interface JobRun {
  readonly id: string
  readonly status: string
  readonly startedAt: string | null
  readonly endedAt: string | null
  /** Postgres's message; `null` for viewers, because it may quote values. */
  readonly message: string | null
}

/** `GET /jobs`. */
export interface JobList {
  /** `off`: this server runs no jobs. `extension`: the extension pg_cron runs them, so the console starts none. */
  readonly runner: 'server' | 'extension' | 'off'
  readonly jobs: readonly ListedJob[]
}

/** A request of the database that waits to be sent. */
export interface WaitingRequest {
  readonly id: string
  readonly method: string
  /** Viewers see the receiver only. */
  readonly url: string
  /** `table public.orders`, or `role authenticated`. */
  readonly source: string
  readonly attempts: number
  readonly dueAt: string
  readonly lastError: string | null
  readonly createdAt: string
}

/** What became of a request of the database. */
export interface RequestOutcome {
  readonly id: string
  /** Trigger and table of a database webhook. */
  readonly webhook: string | null
  readonly status: number | null
  readonly error: string | null
  /** Start of the response; `null` for viewers. */
  readonly content: string | null
  readonly at: string
}

/** `GET /webhooks`. */
export interface WebhookList {
  /** Whether Holdfast sends the requests, and not the extension pg_net. */
  readonly isOurs: boolean
  readonly waiting: readonly WaitingRequest[]
  readonly outcomes: readonly RequestOutcome[]
  /** Sources whose further requests Postgres refuses. */
  readonly full: readonly { readonly source: string; readonly reason: string }[]
}

/** A queue of pgmq. */
export interface ListedQueue {
  readonly name: string
  readonly createdAt: string
  /** Messages, counted up to {@link QUEUE_COUNT_MAX}. */
  readonly messages: number
  /** Messages that a consumer may read now. */
  readonly visible: number
  readonly oldestAt: string | null
}

/** Messages of a queue that are counted. */
export const QUEUE_COUNT_MAX = 10_000

/** A message of a queue, read without changing its visibility. */
export interface QueueMessage {
  readonly id: string
  readonly reads: number
  readonly enqueuedAt: string
  /** Until when it is hidden from consumers. */
  readonly visibleAt: string
  /** JSON as text, cut to its first part if it is long. */
  readonly message: string
  readonly bytes: number
}

/** A mail or text message that the server captured or sends. */
export interface ListedMail {
  readonly id: string
  readonly channel: 'mail' | 'sms'
  /** Its purpose: `confirmation`, `recovery`, … */
  readonly kind: string
  /** Masked for viewers. */
  readonly recipient: string
  /** Empty for viewers. */
  readonly subject: string
  readonly status: 'captured' | 'queued' | 'sent' | 'failed'
  readonly attempts: number
  readonly lastError: string | null
  readonly nextAttemptAt: string | null
  readonly createdAt: string
}

/** `GET /mailbox`. */
export interface Mailbox {
  /** Whether mails are captured instead of sent. */
  readonly isCaptured: boolean
  readonly mails: readonly ListedMail[]
}
