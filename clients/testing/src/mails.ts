import { TestingError } from './testing-error.ts'

/** A captured mail. */
export interface TestMail {
  readonly id: string
  readonly to: string
  /** Its purpose, such as `signup`, `recovery`, `magiclink`. */
  readonly kind: string
  readonly subject: string
  readonly html: string
  readonly text: string
  /** The first link. */
  readonly link: string | undefined
  /** The code. */
  readonly code: string | undefined
}

/** A captured text message. */
export interface TestSms {
  readonly id: string
  readonly to: string
  readonly kind: string
  readonly text: string
  readonly code: string | undefined
}

export interface WaitOptions {
  /** Address or number; omitted for any. */
  readonly to?: string
  /** In ms. Default: 10,000. */
  readonly timeout?: number
}

export interface TestMessages<T> {
  /**
   * Waits for the oldest message not returned before.
   *
   * @throws {TestingError} `test_message_missing`, listing what arrived instead
   */
  next(options?: WaitOptions): Promise<T>
  /** Returns all, oldest first. */
  list(options?: Pick<WaitOptions, 'to'>): Promise<readonly T[]>
}

/** An entry of `GET /auth/v1/admin/messages`. */
export interface Captured {
  readonly id: string
  readonly channel: 'mail' | 'sms'
  readonly kind: string
  readonly recipient: string
  readonly subject: string
  readonly html: string
  readonly body: string
  readonly variables: Readonly<Record<string, unknown>>
}

const PATIENCE_MS = 10_000
const POLL_MS = 25

/** @param read - returns captured messages for one address or all, newest first */
export function openMessages<T extends { readonly id: string; readonly to: string; readonly kind: string }>(
  read: (to: string | undefined) => Promise<readonly Captured[]>,
  channel: Captured['channel'],
  render: (captured: Captured) => T,
): TestMessages<T> & { forget(): void } {
  const given = new Set<string>()
  const list = async (to?: string): Promise<readonly T[]> => {
    const found = await read(to)
    return found
      .filter((one) => one.channel === channel)
      .map(render)
      .toReversed()
  }
  return {
    list: ({ to } = {}) => list(to),
    async next({ to, timeout = PATIENCE_MS } = {}) {
      const deadline = performance.now() + timeout
      for (;;) {
        const next = (await list(to)).find(({ id }) => !given.has(id))
        if (next) {
          given.add(next.id)
          return next
        }
        if (performance.now() > deadline) throw missing(channel, to, timeout, await list())
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    },
    forget: () => given.clear(),
  }
}

function missing(
  channel: Captured['channel'],
  to: string | undefined,
  timeout: number,
  others: readonly { readonly to: string; readonly kind: string }[],
): TestingError {
  const what = channel === 'mail' ? 'mail' : 'text message'
  const came = others.map((one) => `  ${one.kind} to ${one.to}`)
  return new TestingError({
    code: 'test_message_missing',
    message: `No further ${what}${to === undefined ? '' : ` to ${to}`} came within ${timeout} ms.`,
    detail: came.length === 0 ? `No ${what} has arrived.` : `Received:\n${came.join('\n')}`,
    hint: 'Check that the app requested one; existing accounts get different mails than new ones.',
  })
}

export function renderMail({ id, recipient, kind, subject, html, body, variables }: Captured): TestMail {
  const link = /href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? /https?:\/\/\S+/.exec(body)?.[0]
  return { id, to: recipient, kind, subject, html, text: body, link, code: codeOf(variables) }
}

export function renderSms({ id, recipient, kind, body, variables }: Captured): TestSms {
  return { id, to: recipient, kind, text: body, code: codeOf(variables) }
}

function codeOf(variables: Captured['variables']): string | undefined {
  const code = variables['token'] ?? variables['code']
  return typeof code === 'string' ? code : undefined
}
