import type { Client } from 'pg'
import { openQuietClient } from './quiet-client.ts'
import { socketOf } from './take-over.ts'

/** A client whose statements fail once the server has been silent for some time. */
export interface WatchedClient extends AsyncDisposable {
  readonly client: Client
}

/** Probes per silence timeout. */
const ASKED_TIMES = 4

/**
 * Connects like {@link openQuietClient}, with a second connection that probes the server: a statement may be silent for hours, while a server behind a broken
 * network never responds, and the first connection cannot tell the difference.
 *
 * @param silenceMs - timeout of a probe
 * @throws errors of the driver or Postgres
 */
export async function openWatchedClient(
  url: string,
  applicationName: string,
  silenceMs: number,
): Promise<WatchedClient> {
  const client = await openQuietClient(url, applicationName)
  let probe: Client
  try {
    probe = await openQuietClient(url, `${applicationName}: watch`)
  } catch (error) {
    await client.end().catch(() => undefined) // possibly broken already
    throw error
  }
  let silence: NodeJS.Timeout | undefined
  let next: NodeJS.Timeout | undefined
  let isClosed = false
  const give = (error: Error): void => {
    if (isClosed) return
    for (const one of [client, probe]) socketOf(one).destroy(error)
  }
  const ask = (): void => {
    silence = setTimeout(() => give(new Error(`Postgres has been silent for ${silenceMs / 1000} s`)), silenceMs)
    probe.query('select 1').then(() => {
      clearTimeout(silence)
      if (!isClosed) next = setTimeout(ask, silenceMs / ASKED_TIMES)
    }, give)
  }
  ask()
  return {
    client,
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(silence)
      clearTimeout(next)
      // A vanished server does not respond to a graceful close.
      const end = async (one: Client): Promise<void> => {
        const timer = setTimeout(() => socketOf(one).destroy(), silenceMs)
        await one.end().catch(() => undefined) // possibly broken already
        clearTimeout(timer)
      }
      await Promise.all([end(client), end(probe)])
    },
  }
}
