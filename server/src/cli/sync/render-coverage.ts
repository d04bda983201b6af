import type { CoverageReport, DefinitionCoverage, TableCoverage } from '@holdfast/sync'
import { projectTablesFirst } from './project-tables.ts'

/**
 * Renders the coverage report: an overview, followed by details per table.
 *
 * @param all - whether to include unproblematic tables of Holdfast
 */
export function renderCoverage(report: CoverageReport, all: boolean): string {
  const { shown, hidden } = projectTablesFirst(report.tables, { all, isProblem: hasProblem })
  const rows = shown.map((table) => [
    table.table,
    table.synced ? `as ${table.localName}` : 'NOT SYNCED',
    table.rows === undefined ? '?' : count(table.rows),
    String(sum(table.definitions.map((one) => one.cost.buckets))),
    count(sum(table.definitions.map((one) => one.cost.operations))),
    table.synced ? [...new Set(table.definitions.map((one) => one.form))].join(', ') : reasonOf(table),
  ])
  return [
    renderTable([['table', 'syncs', 'rows', 'buckets', 'operations', 'by'], ...rows]),
    ...shown.filter((table) => table.synced || table.policies.length > 0).map(renderDetails),
    ...report.streams.map(renderStream),
    ...(hidden === 0 ? [] : [`${hidden} tables of Holdfast itself are left out; --all shows them.\n`]),
    `plan ${report.version}. Rows and keys are estimates of Postgres; "?" until it has analyzed the table.\n`,
  ].join('\n')
}

/** Whether a policy is refused or fails. */
function hasProblem({ refusedPolicy, failing }: TableCoverage): boolean {
  return refusedPolicy !== undefined || failing.length > 0
}

function renderStream({ name, priority, autoSubscribe, tables, refused }: CoverageReport['streams'][number]): string {
  const of = tables.map((table) => `${table.schema}.${table.name}`).join(', ')
  const lines = [
    `stream ${name}: of ${of || 'no table'}, priority ${priority}${autoSubscribe ? ', subscribed by every device' : ''}`,
    ...refused.flatMap(({ query, reason }) => [`  NOT FOLLOWED: ${reason}`, `    ${oneLine(query)}`]),
  ]
  return `${lines.join('\n')}\n`
}

function reasonOf(table: TableCoverage): string {
  const blame = table.refusedPolicy === undefined ? '' : `policy "${table.refusedPolicy}": `
  return `${blame}${table.reason ?? ''}`
}

function renderDetails(table: TableCoverage): string {
  const lines = [`${table.table}${table.synced ? '' : `: not synced, ${reasonOf(table)}`}`]
  for (const policy of table.policies) {
    const kind = policy.permissive ? 'policy' : 'restrictive policy'
    lines.push(
      `  ${kind} "${policy.name}" for ${policy.roles.join(', ')}: ${policy.forms.join(', ') || 'always'}${policy.definitions.length > 0 ? ` → ${policy.definitions.join(', ')}` : ''}`,
      `    ${policy.using === null ? 'true' : oneLine(policy.using)}`,
    )
  }
  for (const { of, reason, count: times, lastAt } of table.failing)
    lines.push(`  FAILS for a ${of}, ${count(times)} times, last ${lastAt}: ${oneLine(reason)}`)
  for (const definition of table.definitions) lines.push(...renderDefinition(definition))
  return `${lines.join('\n')}\n`
}

function renderDefinition(one: DefinitionCoverage): readonly string[] {
  const { cost } = one
  return [
    `  ${one.id}${one.stream === undefined ? '' : ` (stream ${one.stream})`}: ${one.follows}${one.state === 'served' ? '' : ' (BEING READ)'}`,
    `    rows        ${one.rows}`,
    `    people      ${one.people}`,
    `    key query   ${oneLine(one.keyQuery)}`,
    ...(one.claims.length > 0 ? [`    claims      ${one.claims.join(', ')}`] : []),
    ...cost.reevaluations.map(({ table, columns, concerns, rows, changes }) => {
      const whom =
        concerns === 'everybody'
          ? 'everybody connected is asked again'
          : 'claim' in concerns
            ? `asked again: whose ${concerns.claim} is its ${concerns.column}`
            : `asked again: who has its ${concerns.column} by ${concerns.values}`
      const read = columns.length > 0 ? ` (${columns.join(', ')})` : ''
      return `    depends on  ${table}${read}, ${whom}; ${rows === undefined ? '?' : count(rows)} rows, ${count(changes)} changes so far`
    }),
    `    cost        ${cost.distinctKeys === undefined ? '?' : count(cost.distinctKeys)} keys, ${count(cost.buckets)} buckets, ${count(cost.operations)} operations`,
    ...one.costs.map((text) => `                ${text}`),
  ]
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column >= 2 && column <= 4 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return `${rows.map(line).join('\n')}\n`
}
