import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of scheduled jobs. */
export const schedulesOptions = {
  schedulesEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether this server runs the jobs of `cron.job`. Only one of several servers starts each run.',
  },
  schedulesRunsMax: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 64,
    description: 'Concurrent jobs, each with its own connection. Others wait.',
  },
  schedulesRunMinutesMax: {
    type: 'integer',
    default: 60,
    min: 1,
    max: 10_080,
    description: 'Maximum minutes of a job’s run.',
  },
  schedulesDetailsKeptDays: {
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    description: 'Days for which `cron.job_run_details` keeps runs, and at most 10,000 per job.',
  },
} satisfies OptionDeclarations

export type SchedulesOptions = OptionValues<typeof schedulesOptions>
