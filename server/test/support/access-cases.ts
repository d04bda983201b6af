const RULES = JSON.stringify({ see: [{ role: 'viewer', scope: 'all' }], add: [], change: [], delete: [] })
const WHEN = JSON.stringify([{ field: 'title', is: 'empty' }])

/** Calls of the functions for rules with a table of another workspace, as that workspace's and as the caller's own. */
export function accessCases(
  other: string,
  own: string,
): Readonly<Record<string, { readonly calls: readonly string[]; readonly isRefused: true }>> {
  const refused = (call: (workspace: string) => string) =>
    ({ calls: [call(other), call(own)], isRefused: true }) as const
  return {
    'access_of(uuid,text)': refused((workspace) => `access_of('${workspace}', 'pits')`),
    'access_sql(uuid,text,jsonb)': refused((workspace) => `access_sql('${workspace}', 'pits', '${RULES}')`),
    'set_access(uuid,text,jsonb,boolean)': refused(
      (workspace) => `set_access('${workspace}', 'pits', '${RULES}', true)`,
    ),
    'required_when_sql(uuid,text,text,jsonb,boolean)': refused(
      (workspace) => `required_when_sql('${workspace}', 'pits', 'due_on', '${WHEN}')`,
    ),
    'required_when_gaps(uuid,text,text,jsonb)': refused(
      (workspace) => `required_when_gaps('${workspace}', 'pits', 'due_on', '${WHEN}')`,
    ),
    'set_required_when(uuid,text,text,jsonb,boolean)': refused(
      (workspace) => `set_required_when('${workspace}', 'pits', 'due_on', '${WHEN}')`,
    ),
    'set_transitions(uuid,text,text,jsonb)': refused(
      (workspace) => `set_transitions('${workspace}', 'pits', 'title', '[{"to": "a"}]')`,
    ),
  }
}
