const CONFIG = JSON.stringify({
  when: { kind: 'added', table: 'pits' },
  do: [{ kind: 'update', set: { title: 'Ours' } }],
})

/** Calls of the functions for automations with what another workspace has, as that workspace's and as the caller's own. */
export function automationCases(of: {
  readonly other: string
  readonly own: string
  readonly automation: string
  readonly run: string
}): Readonly<Record<string, { readonly calls: readonly string[]; readonly isRefused: true }>> {
  const { other, own, automation, run } = of
  const refused = (...calls: readonly string[]) => ({ calls, isRefused: true }) as const
  return {
    'save_automation(uuid,uuid,text,jsonb)': refused(
      `save_automation('${other}', null, 'Ours', '${CONFIG}')`,
      `save_automation('${own}', null, 'Ours', '${CONFIG}')`,
      `save_automation('${own}', '${automation}', 'Ours', '${CONFIG}')`,
    ),
    'check_automation(uuid,jsonb)': refused(
      `check_automation('${other}', '${CONFIG}')`,
      `check_automation('${own}', '${CONFIG}')`,
    ),
    'switch_automation(uuid,boolean)': refused(`switch_automation('${automation}', true)`),
    'delete_automation(uuid)': refused(`delete_automation('${automation}')`),
    'run_automation_again(uuid)': refused(`run_automation_again('${run}')`),
    'settle_automation(bigint,uuid,integer,jsonb)': refused(`settle_automation(1, '${automation}', 1, '{}')`),
  }
}
