import type { OpenConsoleOptions } from '@holdfast/console'
import { requestRun, schedulesOptions, sendNow } from '@holdfast/functions'
import type { Pool } from '@holdfast/postgres'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/**
 * Returns what the console needs for jobs, requests of the database and mails.
 *
 * @param pool - connects as the superuser
 */
export function createJobSources(
  { config }: PartContext,
  pool: Pool,
  { auth }: Accounts,
): Pick<OpenConsoleOptions, 'jobs' | 'webhooks' | 'captured'> {
  return {
    jobs: {
      isOn: optionsOf(config, schedulesOptions).schedulesEnabled,
      requestRun: (id) => requestRun(pool, id),
    },
    webhooks: { sendNow: (id) => sendNow(pool, id) },
    ...(auth.captured && { captured: auth.captured }),
  }
}
