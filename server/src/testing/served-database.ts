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

/** Assigned ports without a listener yet. */
const promised = new Set<number>()

/** Opens a server in this process on a prepared database. */
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

/** Finds a free port, never the same for two servers opening concurrently. */
async function promisePort(host: string): Promise<number> {
  for (;;) {
    const port = await findPort(host, 0)
    if (promised.has(port)) continue
    promised.add(port)
    return port
  }
}
