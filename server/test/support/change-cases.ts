const CHANGES = [
  '{"kind": "add_field", "label": "Ours", "field": {"kind": "text"}}',
  '{"kind": "delete_field", "field": "title"}',
  '{"kind": "rename_table", "label": "Ours"}',
  '{"kind": "duplicate_table", "label": "Ours"}',
  '{"kind": "delete_table"}',
  '{"kind": "edit_field", "field": "title", "unique": true}',
  '{"kind": "convert_field", "field": "title", "to": {"kind": "integer"}}',
]
const FORMULA = '{"kind": "formula", "label": "Ours", "formula": {"field": "title"}}'

/** Calls of the functions that change tables, with a table of another workspace, as that workspace's and as the caller's own. */
export function changeCases(
  other: string,
  own: string,
): Readonly<Record<string, { readonly calls: readonly string[]; readonly isRefused?: true }>> {
  const of = (call: (workspace: string) => string) => ({ calls: [call(other), call(own)], isRefused: true }) as const
  const each = (name: string) =>
    ({
      calls: CHANGES.flatMap((change) =>
        [other, own].map((workspace) => `${name}('${workspace}', 'pits', '${change}')`),
      ),
      isRefused: true,
    }) as const
  return {
    'change_table_sql(uuid,text,jsonb)': each('change_table_sql'),
    'change_table(uuid,text,jsonb)': each('change_table'),
    'add_checklist_sql(uuid,text,jsonb)': of(
      (workspace) => `add_checklist_sql('${workspace}', 'pits', '{"name": "Ours"}')`,
    ),
    'add_checklist(uuid,text,jsonb)': of((workspace) => `add_checklist('${workspace}', 'pits', '{"name": "Ours"}')`),
    'deleted_fields(uuid,text)': of((workspace) => `deleted_fields('${workspace}', 'pits')`),
    'my_member_id(uuid)': { calls: [`my_member_id('${other}')`] },
    'field_settings(uuid,text,text)': of((workspace) => `field_settings('${workspace}', 'pits', 'title')`),
    'field_conversion(uuid,text,jsonb)': each('field_conversion'),
    'deleted_tables(uuid)': { calls: [`deleted_tables('${other}')`], isRefused: true },
    'restore_table(uuid,text)': of((workspace) => `restore_table('${workspace}', 'pits')`),
    'table_links(uuid,text)': of((workspace) => `table_links('${workspace}', 'pits')`),
    'table_changes(uuid,text)': of((workspace) => `table_changes('${workspace}', 'pits')`),
    'tables_deleted_with(uuid,text)': of((workspace) => `tables_deleted_with('${workspace}', 'pits')`),
    'computed_field_sql(uuid,text,jsonb)': of(
      (workspace) => `computed_field_sql('${workspace}', 'pits', '${FORMULA}')`,
    ),
    'set_computed_field(uuid,text,jsonb)': of(
      (workspace) => `set_computed_field('${workspace}', 'pits', '${FORMULA}')`,
    ),
    'remove_computed_field(uuid,text,text)': of(
      (workspace) => `remove_computed_field('${workspace}', 'pits', 'depth')`,
    ),
  }
}
