import { CHECK_PATH, type CheckLine, type CheckQuestion } from '@holdfast/protocol'
import { CheckUnavailable } from './device-check.ts'

export interface CheckServerOptions {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly token: () => Promise<string | undefined>
}

/** Response timeout in ms: slightly longer than the server's own limit. */
const ANSWER_TIMEOUT_MS = 130_000
/** Attempts with a busy server, and the longest wait in ms between them. */
const ATTEMPTS = 10
const RETRY_AFTER_MAX_MS = 30_000

/** Requests checks from the server, and write checkpoints. */
export class CheckServer {
  readonly #options: CheckServerOptions
  readonly #signal: AbortSignal | undefined

  constructor(options: CheckServerOptions, signal: AbortSignal | undefined) {
    this.#options = options
    this.#signal = signal
  }

  /**
   * @param onLine - called for each line before the last
   * @returns the last line
   * @throws {CheckUnavailable}
   */
  async ask(
    questions: readonly CheckQuestion[],
    onLine: (line: Exclude<CheckLine, { readonly complete: unknown }>) => void,
  ): Promise<Extract<CheckLine, { readonly complete: unknown }>> {
    const body = JSON.stringify({ questions })
    const response = await this.#request(CHECK_PATH, { method: 'POST', body })
    return this.#answered(async () => {
      for await (const text of readLines(response)) {
        const line = JSON.parse(text) as CheckLine
        if ('complete' in line) return line
        onLine(line)
      }
      throw new Error('The server ended the response early.')
    })
  }

  /** Requests a write checkpoint, which arrives over the stream once everything committed by now is on the device. */
  async writeCheckpoint(clientId: string): Promise<bigint> {
    const response = await this.#request(`/write-checkpoint2.json?client_id=${encodeURIComponent(clientId)}`, {})
    return this.#answered(async () => {
      const body = (await response.json()) as { readonly data: { readonly write_checkpoint: string } }
      return BigInt(body.data.write_checkpoint)
    })
  }

  async #request(path: string, init: { readonly method?: string; readonly body?: string }): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#answered(async () => this.#send(path, init))
      if (response.ok) return response
      const text = await response.text().catch(() => '')
      const isBusy = response.status === 429 || response.status === 503
      const retryAfterMs = Number(response.headers.get('retry-after') ?? '2') * 1_000
      if (!isBusy) throw new CheckUnavailable('refused', `The server answered ${response.status}: ${text}`)
      if (attempt === ATTEMPTS || !(retryAfterMs <= RETRY_AFTER_MAX_MS)) {
        throw new CheckUnavailable('busy', 'The server is too busy at the moment.')
      }
      await pause(retryAfterMs, this.#signal)
    }
  }

  async #send(path: string, init: { readonly method?: string; readonly body?: string }): Promise<Response> {
    const { url, fetch, token } = this.#options
    const current = await token()
    if (current === undefined) throw new CheckUnavailable('refused', 'Nobody is signed in.')
    const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    return fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${current}`, ...(init.body ? { 'content-type': 'application/json' } : {}) },
      cache: 'no-store',
      signal: this.#signal ? AbortSignal.any([this.#signal, timeout]) : timeout,
    })
  }

  async #answered<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await body()
    } catch (error) {
      this.#signal?.throwIfAborted()
      if (error instanceof CheckUnavailable) throw error
      throw new CheckUnavailable('unreachable', 'The server could not be reached.', { cause: error })
    }
  }
}

async function* readLines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    rest += decoder.decode(value, { stream: !done })
    const lines = rest.split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    yield* lines.filter((line) => line !== '')
    if (done) return
  }
}

/** Waits; rejects when the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason as Error)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
