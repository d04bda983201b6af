/** Calls of the functions for invite links and public forms with ids of another workspace. */
export function sharingCases({
  other,
  own,
  team,
  view,
  link,
  form,
}: Readonly<Record<'other' | 'own' | 'team' | 'view' | 'link' | 'form', string>>): Readonly<
  Record<string, { readonly calls: readonly string[]; readonly isRefused?: true }>
> {
  const refused = (...calls: readonly string[]) => ({ calls, isRefused: true }) as const
  const publish = (workspace: string): string => `publish_form('${workspace}', '${view}', 'pits', '{"title": "Ours"}')`
  return {
    'create_invite_link(uuid,holdfast.workspace_role,uuid,integer,integer)': refused(
      `create_invite_link('${other}', 'viewer')`,
      `create_invite_link('${own}', 'viewer', '${team}')`,
    ),
    'revoke_invite_link(uuid)': refused(`revoke_invite_link('${link}')`),
    'publish_form(uuid,uuid,text,jsonb)': refused(publish(other), publish(own)),
    'close_form(uuid)': refused(`close_form('${form}')`),
  }
}
