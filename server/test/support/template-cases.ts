/** Calls of the functions for templates with ids of another workspace. */
export function templateCases(
  workspace: string,
  load: string,
): Readonly<Record<string, { readonly calls: readonly string[]; readonly isRefused?: true }>> {
  const refused = (...calls: readonly string[]) => ({ calls, isRefused: true }) as const
  const silent = (...calls: readonly string[]) => ({ calls })
  return {
    'load_template(uuid,jsonb,text)': refused(`load_template('${workspace}', '{}')`),
    'template_sql(uuid,jsonb,text)': refused(`template_sql('${workspace}', '{}')`),
    'export_template(uuid,boolean)': refused(`export_template('${workspace}', true)`),
    'export_template_tables(uuid)': refused(`export_template_tables('${workspace}')`),
    'export_template_dashboards(uuid,jsonb)': refused(`export_template_dashboards('${workspace}', '{}')`),
    'export_template_automations(uuid,jsonb)': refused(`export_template_automations('${workspace}', '{}')`),
    'remove_sample_records(uuid)': refused(`remove_sample_records('${load}')`),
    'remove_template(uuid)': refused(`remove_template('${load}')`),
    // With the rights of the caller, of a table that was created in the app.
    'export_template_records(regclass,jsonb,jsonb,text)': refused(
      `export_template_records('public.pits', '[]', '{}', 'UTC')`,
    ),
    // Of what is given to them.
    'checklist_content(jsonb)': silent(`checklist_content('{"checklists": [], "tables": []}')`),
    'template_limit(text)': silent(`template_limit('records')`),
    'refuse_template(text,text)': refused(`refuse_template('form', 'no')`),
    'without_people(text)': silent(`without_people('me@example.org')`),
    'export_value(jsonb,text,text)': silent(`export_value('"x"', 'text', 'UTC')`),
  }
}
