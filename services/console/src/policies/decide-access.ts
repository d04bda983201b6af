import type { AccessVerdict, PolicyCommand, PolicyResult } from '@holdfast/protocol'

/** What Postgres did with the statement. */
export interface StatementOutcome {
  readonly isAllowed: boolean
  /** Why it failed; missing if it only found no row. */
  readonly error?: string
  /** Row-level security refused it, or hid the row; not a missing grant or a constraint. */
  readonly isPolicyRefusal: boolean
}

/**
 * Names the policy that decided. Postgres's outcome is the verdict; the results of the policies only explain it.
 *
 * @param isActive - whether row-level security applies to the user
 */
export function decideAccess(
  command: PolicyCommand,
  role: string,
  results: readonly PolicyResult[],
  outcome: StatementOutcome,
  isActive: boolean,
): AccessVerdict {
  const { isAllowed, error, isPolicyRefusal } = outcome
  const verdict = { command, isAllowed, results }
  if (!isAllowed && !isPolicyRefusal) return { ...verdict, reason: error ?? 'Postgres found no such row.' }
  if (!isActive)
    return {
      ...verdict,
      reason: isAllowed
        ? `Row-level security does not apply to ${role} here: grants alone decide.`
        : 'Postgres found no such row.',
    }
  if (isAllowed) {
    const allowing = results.find((one) => one.command === command && one.isPermissive && one.passes === true)
    return allowing
      ? { ...verdict, policy: allowing.policy, reason: `The policy “${allowing.policy}” allows it.` }
      : { ...verdict, reason: 'Postgres allows it.' }
  }
  for (const group of groupsOf(command)) {
    const own = results.filter((one) => one.command === group.command && one.row === group.row)
    const refusing = refusalOf(own, group, role)
    if (refusing) return { ...verdict, ...refusing }
  }
  return {
    ...verdict,
    reason: `${error ?? 'Postgres changed no row.'} The policies pass for these values, so a trigger may have changed or skipped the row.`,
  }
}

type Group = Pick<PolicyResult, 'command' | 'row'>

/** The policies that a command needs, in the order in which they are named. A change of a row also needs the right to see it, before and after. */
export function groupsOf(command: PolicyCommand): readonly Group[] {
  if (command === 'insert') return [{ command, row: 'new' }]
  const seen: Group = { command: 'select', row: 'existing' }
  if (command === 'select') return [seen]
  const existing: Group = { command, row: 'existing' }
  if (command === 'delete') return [seen, existing]
  return [seen, existing, { command, row: 'new' }, { command: 'select', row: 'new' }]
}

function refusalOf(
  results: readonly PolicyResult[],
  { command, row }: Group,
  role: string,
): Pick<AccessVerdict, 'reason' | 'policy'> | undefined {
  const of = row === 'new' ? 'the new row' : 'this row'
  const restrictive = results.find((one) => !one.isPermissive && one.passes !== true)
  if (restrictive)
    return {
      policy: restrictive.policy,
      reason: `The restrictive policy “${restrictive.policy}” ${failing(restrictive)} for ${of}.`,
    }
  const permissive = results.filter((one) => one.isPermissive)
  if (permissive.some((one) => one.passes === true)) return undefined
  const [first, ...others] = permissive
  // An update without proposed values has no new row.
  if (!first && row === 'new' && command !== 'insert') return undefined
  if (!first) return { reason: `No policy lets ${role} ${command} rows of this table.` }
  if (others.length > 0) return { reason: `None of the ${permissive.length} policies for ${command} passes for ${of}.` }
  return {
    policy: first.policy,
    reason: `The only policy for ${command}, “${first.policy}”, ${failing(first)} for ${of}.`,
  }
}

function failing({ fails, passes }: PolicyResult): string {
  if (fails !== undefined) return `fails (${fails})`
  return passes === null ? 'is null' : 'is false'
}
