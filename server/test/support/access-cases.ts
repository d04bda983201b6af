const RULES = JSON.stringify({ see: [{ role: 'viewer', scope: 'all' }], add: [], change: [], delete: [] })
const WHEN = JSON.stringify([{ field: 'title', is: 'empty' }])

const newTable = (link: string): string =>
  JSON.stringify({
    name: 'ours',
    label: 'Ours',
    fields: [{ name: 'pit', label: 'Pit', kind: 'link', table: link }],
    access: { kind: 'members' },
  })

/** Calls of the functions for tables and their rules with a table of another workspace, as that workspace's and as the caller's own. */
export function accessCases(
  other: string,
  own: string,
): Readonly<Record<string, { readonly calls: readonly string[]; readonly isRefused: true }>> {
  const refused = (call: (workspace: string) => string) =>
    ({ calls: [call(other), call(own)], isRefused: true }) as const
  const create = (call: string) =>
    ({
      calls: [`${call}('${other}', '${newTable('hf_teams')}')`, `${call}('${own}', '${newTable('pits')}')`],
      isRefused: true,
    }) as const
  return {
    'new_table_sql(uuid,jsonb)': create('new_table_sql'),
    'create_table(uuid,jsonb)': create('create_table'),
    'remove_empty_table(uuid,text)': refused((workspace) => `remove_empty_table('${workspace}', 'pits')`),
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
