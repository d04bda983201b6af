import { createPhases, type Clock, type Logger } from '@holdfast/foundation'
import { findPort } from '@holdfast/http'
import type { Cluster } from '@holdfast/postgres'
import { composeHoldfast } from '../compose.ts'
import type { Config } from '../config/options.ts'
import type { Holdfast } from '../holdfast.ts'
import { WHOLE_PROJECT } from '../project/reset-request.ts'

/** Options of a test's server. */
export interface ServeOptions {
  readonly config: Config
  readonly cluster: Cluster
  readonly logger: Logger
  readonly clock: Clock
}

/** Ports that were free a moment ago and are not listened on yet. */
const promised = new Set<number>()

/** Opens a server of this process on a database that is prepared. */
export async function serveDatabase({ config, cluster, logger, clock }: ServeOptions): Promise<Holdfast> {
  const port = await promisePort(config.host)
  try {
    return await composeHoldfast(
      {
        config,
        logger,
        clock,
        progress: (line) => logger.log('info', line),
        signal: new AbortController().signal,
        preparation: WHOLE_PROJECT,
      },
      { port, cluster, phases: createPhases() },
    )
  } finally {
    promised.delete(port)
  }
}

/** Two servers that open at once never get the same. */
async function promisePort(host: string): Promise<number> {
  for (;;) {
    const port = await findPort(host, 0)
    if (promised.has(port)) continue
    promised.add(port)
    return port
  }
}
