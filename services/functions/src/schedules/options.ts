import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of scheduled jobs. */
export const schedulesOptions = {
  schedulesEnabled: {
    type: 'boolean',
    default: true,
    description:
      'Whether this server runs the jobs of `cron.job`. Of several servers, each run is begun by one. Without jobs this costs nothing.',
  },
  schedulesRunsMax: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 64,
    description: 'Jobs that this server runs at the same time, each with a connection of its own. Others wait.',
  },
  schedulesRunMinutesMax: {
    type: 'integer',
    default: 60,
    min: 1,
    max: 10_080,
    description: 'Minutes after which the run of a job is ended.',
  },
  schedulesDetailsKeptDays: {
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    description: 'Days for which `cron.job_run_details` keeps what came of runs, and of each job the last 10,000.',
  },
} satisfies OptionDeclarations

export type SchedulesOptions = OptionValues<typeof schedulesOptions>
