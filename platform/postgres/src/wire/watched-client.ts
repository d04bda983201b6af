import type { Client } from 'pg'
import { openQuietClient } from './quiet-client.ts'
import { socketOf } from './take-over.ts'

/** A client whose statements fail once the server has answered nothing at all for some time. */
export interface WatchedClient extends AsyncDisposable {
  readonly client: Client
}

/** How often the server is asked within the time of silence. */
const ASKED_TIMES = 4

/**
 * Connects as {@link openQuietClient} does. A second connection asks again and again whether the server is there: a statement may take hours and say nothing
 * meanwhile, while a server behind a broken network never answers, and nothing tells the first connection.
 *
 * @param silenceMs - how long the server may leave the question without an answer
 * @throws what the driver or Postgres refused with
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
    await client.end().catch(() => undefined) // it may be broken already
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
      // A server that is gone says no goodbye.
      const end = async (one: Client): Promise<void> => {
        const timer = setTimeout(() => socketOf(one).destroy(), silenceMs)
        await one.end().catch(() => undefined) // it may be broken already
        clearTimeout(timer)
      }
      await Promise.all([end(client), end(probe)])
    },
  }
}
