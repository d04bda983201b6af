import type { Logger } from '@holdfast/foundation'
import { createPool, type Pool } from '@holdfast/postgres'
import { RESTRICTED_CONNECTIONS_MAX } from '../limits.ts'

/** Where statements run that reach what users wrote: policies, functions, casts, operators, checks of domains. Never as a superuser. */
export interface RestrictedPools {
  /** Reads tables past their policies; no statement of it can write. */
  readonly readerPool: Pool
  /** Evaluates expressions over values that are handed in, with the rights of the API roles and no claims; no statement of it can write. */
  readonly evaluatorPool: Pool
}

export function openRestrictedPools(options: {
  readonly readerUrl: string
  readonly evaluatorUrl: string
  readonly logger: Logger
}): RestrictedPools {
  const open = (url: string, applicationName: string): Pool =>
    createPool({
      url,
      applicationName,
      connectionsMax: RESTRICTED_CONNECTIONS_MAX,
      isReadOnly: true,
      // That of requests: functions without a path of their own find what they find there.
      settings: { search_path: 'public,extensions' },
      onError: (error) =>
        options.logger.log('warn', `a connection of ${applicationName} was lost`, { reason: error.message }),
    })
  return {
    readerPool: open(options.readerUrl, 'holdfast reader'),
    evaluatorPool: open(options.evaluatorUrl, 'holdfast evaluator'),
  }
}
