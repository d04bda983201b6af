import type { Logger } from '@holdfast/foundation'
import { createPool, SHORT_TRANSACTIONS, type Pool } from '@holdfast/postgres'
import { RESTRICTED_CONNECTIONS_MAX } from '../limits.ts'

/** Pools for statements that run user-written code: policies, functions, casts, operators, domain checks. Never as a superuser. */
export interface RestrictedPools {
  /** Reads tables, bypassing their policies. Read-only. */
  readonly readerPool: Pool
  /** Evaluates expressions over given values, with the rights of the API roles and without claims. Read-only. */
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
      // The search path of requests, for functions without their own.
      settings: { ...SHORT_TRANSACTIONS, search_path: 'public,extensions' },
      onError: (error) =>
        options.logger.log('warn', `a connection of ${applicationName} was lost`, { reason: error.message }),
    })
  return {
    readerPool: open(options.readerUrl, 'holdfast reader'),
    evaluatorPool: open(options.evaluatorUrl, 'holdfast evaluator'),
  }
}
