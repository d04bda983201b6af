import type { TableDetails, TableIdentity, TablePolicy } from '@holdfast/protocol'

export interface PoliciesInForce {
  /** What decides over rows. */
  readonly rule: 'owner' | 'open' | 'nothing' | 'policies'
  readonly text: string
  readonly policies: readonly TablePolicy[]
}

/** Names the policies that decide what an identity reads and changes. A user is taken for `authenticated`; Postgres decides in any case. */
export function policiesInForce(
  { rls, policies }: Pick<TableDetails, 'rls' | 'policies'>,
  as: TableIdentity,
): PoliciesInForce {
  if (rls === null) return { rule: 'open', text: 'Row-level security of the underlying tables decides.', policies: [] }
  if (rls === 'off') return { rule: 'open', text: 'Row-level security is off: grants alone decide.', policies: [] }
  if (as.kind === 'postgres' && rls !== 'forced')
    return { rule: 'owner', text: 'The project’s role passes row-level security.', policies: [] }
  const role = as.kind === 'user' ? 'authenticated' : as.kind
  const inForce = policies.filter(({ roles }) => roles.includes('public') || roles.includes(role))
  if (inForce.every(({ isPermissive }) => !isPermissive))
    return { rule: 'nothing', text: `No policy gives ${role} any rows.`, policies: inForce }
  return { rule: 'policies', text: `Policies for ${role} decide:`, policies: inForce }
}
