import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import type { Sealer } from '../../secrets/sealer.ts'
import { listCustomProviders } from './custom-provider-row.ts'

/**
 * Warns about providers whose client secret was sealed under another JWT secret. Nobody can sign in there until it is set again.
 * Never throws: a failed check is logged.
 */
export async function warnOfUnreadableSecrets({
  pool,
  sealer,
  logger,
}: {
  readonly pool: Pool
  readonly sealer: Sealer
  readonly logger: Logger
}): Promise<void> {
  try {
    const providers = (await listCustomProviders(pool))
      .filter(({ id, client_secret: sealed }) => sealer.open(id, sealed) === undefined)
      .map(({ identifier }) => identifier)
    if (providers.length === 0) return
    logger.log('warn', 'client secrets of providers were kept under another JWT secret: set them again', { providers })
  } catch (error) {
    logger.log('warn', 'could not look whether the client secrets of providers can be read', {
      error: errorMessage(error),
    })
  }
}
