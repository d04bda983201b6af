import { sampleEmail } from './organisation.ts'

/**
 * The password of every sample account. It is public: a server that anybody but this machine can reach must not have these accounts,
 * so seeding is refused unless the server is bound to a loopback address. The caller of {@link seedSample} checks that.
 */
export const SAMPLE_PASSWORD = 'holdfast-sample'

export interface SampleAccount {
  readonly email: string
  readonly name: string
  /** The user and what the account demonstrates, in a few words. */
  readonly what: string
}

function account(name: string, what: string): SampleAccount {
  return { email: sampleEmail(name), name, what }
}

/** The account that the welcome link signs in. */
export const WELCOMED_EMAIL = sampleEmail('Dana Okafor')

/** One account for each way of seeing the sample. */
export const sampleAccounts: readonly SampleAccount[] = [
  account('Dana Okafor', 'supervisor of team North: sees the region, verifies actions, approves inspections'),
  account('Mina Kaya', 'inspector in team North: sees the region, cannot verify'),
  account('Sam Reyes', 'contractor: sees the actions of Calder Valve Services and what belongs to them'),
  account('Ruth Adler', 'auditor: reads everything, writes only comments'),
  account('Arjun Mehta', 'supervisor of the treatment works in the South'),
]
