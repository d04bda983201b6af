const [AUTOMATION, RUN, NOTICE] = [91, 92, 93].map((n) => `aaaaaaaa-0000-4000-8000-0000000000${n}`) as [
  string,
  string,
  string,
]
const CONFIG = JSON.stringify({
  when: { kind: 'added', table: 'pits' },
  do: [{ kind: 'update', set: { title: 'Ours' } }],
})

/** SQL that adds an automation with a run and a notice. */
export function automationRows(workspace: string, user: string): string {
  return `
    insert into holdfast.automations (id, workspace_id, name, config, runs_as) values ('${AUTOMATION}', '${workspace}', 'Deep rule', '{}', '${user}');
    insert into holdfast.automation_runs (id, workspace_id, automation_id, version, state, cause)
      values ('${RUN}', '${workspace}', '${AUTOMATION}', 1, 'done', 'added');
    insert into holdfast.notices (id, workspace_id, user_id, title, body) values ('${NOTICE}', '${workspace}', '${user}', 'Deep rule', 'Deep news');`
}

/** The rows of {@link automationRows}. */
export const AUTOMATION_TABLES = {
  automations: { row: () => AUTOMATION },
  automation_runs: { row: () => RUN },
  notices: { row: () => NOTICE },
} as const

/** Calls of the functions for automations with what another workspace has, as that workspace's and as the caller's own. */
export function automationCases(
  other: string,
  own: string,
): Readonly<Record<string, { readonly calls: readonly string[]; readonly isRefused: true }>> {
  const refused = (...calls: readonly string[]) => ({ calls, isRefused: true }) as const
  return {
    'save_automation(uuid,uuid,text,jsonb)': refused(
      `save_automation('${other}', null, 'Ours', '${CONFIG}')`,
      `save_automation('${own}', null, 'Ours', '${CONFIG}')`,
      `save_automation('${own}', '${AUTOMATION}', 'Ours', '${CONFIG}')`,
    ),
    'check_automation(uuid,jsonb)': refused(
      `check_automation('${other}', '${CONFIG}')`,
      `check_automation('${own}', '${CONFIG}')`,
    ),
    'switch_automation(uuid,boolean)': refused(`switch_automation('${AUTOMATION}', true)`),
    'delete_automation(uuid)': refused(`delete_automation('${AUTOMATION}')`),
    'run_automation_again(uuid)': refused(`run_automation_again('${RUN}')`),
    'expand_automation(bigint,uuid,integer,uuid[],integer)': refused(
      `expand_automation(1, '${AUTOMATION}', 1, '{}', 0)`,
    ),
    'automation_secret(uuid)': refused(`automation_secret('${AUTOMATION}')`),
    'set_automation_header(uuid,text,text,text)': refused(
      `set_automation_header('${AUTOMATION}', 'https://example.org', 'X-Key', 'secret')`,
    ),
    'settle_automation(bigint,uuid,integer,jsonb)': refused(`settle_automation(1, '${AUTOMATION}', 1, '{}')`),
  }
}
