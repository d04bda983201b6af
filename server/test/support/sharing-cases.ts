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
  const shown = (workspace: string): string =>
    `create_view_link('${workspace}', 'pits', null, 'Ours', '{"fields": [{"field": "title", "label": "Title"}]}', now() + interval '1 day')`
  return {
    'create_invite_link(uuid,holdfast.workspace_role,uuid,integer,integer)': refused(
      `create_invite_link('${other}', 'viewer')`,
      `create_invite_link('${own}', 'viewer', '${team}')`,
    ),
    'revoke_invite_link(uuid)': refused(`revoke_invite_link('${link}')`),
    'publish_form(uuid,uuid,text,jsonb)': refused(publish(other), publish(own)),
    'create_view_link(uuid,text,uuid,text,jsonb,timestamp with time zone)': refused(shown(other), shown(own)),
    'revoke_view_link(uuid)': refused(`revoke_view_link('${form}')`),
    'close_form(uuid)': refused(`close_form('${form}')`),
  }
}
