import type { Plan, PlanNode } from './plan-nodes.ts'

/** Renders a plan as text, in the form of Postgres. */
export function renderPlan({ root, planningMs, executionMs, triggers }: Plan): string {
  return [
    ...linesOf(root, 0),
    ...(planningMs === undefined ? [] : [`Planning Time: ${planningMs.toFixed(3)} ms`]),
    ...triggers.map(({ name, ms, calls }) => `Trigger ${name}: time=${ms.toFixed(3)} calls=${calls}`),
    ...(executionMs === undefined ? [] : [`Execution Time: ${executionMs.toFixed(3)} ms`]),
  ].join('\n')
}

function linesOf(node: PlanNode, level: number): string[] {
  const { label, costs, estimate, actual, details, children } = node
  const indent = ' '.repeat(level === 0 ? 0 : level * 6 - 4)
  const inner = ' '.repeat(level * 6 + 2)
  const cost = `(cost=${costs.startup.toFixed(2)}..${costs.total.toFixed(2)} rows=${estimate} width=${costs.width})`
  const measured = actual && (actual.loops === 0 ? ' (never executed)' : ` ${measuredOf(actual)}`)
  return [
    `${indent}${level === 0 ? '' : '->  '}${label}  ${cost}${measured ?? ''}`,
    ...details.map(([name, value]) => `${inner}${name}: ${value}`),
    ...(actual && actual.buffers.length > 0
      ? [`${inner}Buffers (own): ${actual.buffers.map(([name, blocks]) => `${name}=${blocks}`).join(' ')}`]
      : []),
    ...children.flatMap((child) => linesOf(child, level + 1)),
  ]
}

function measuredOf({ totalMs, selfMs, rows, loops }: NonNullable<PlanNode['actual']>): string {
  return `(total=${totalMs.toFixed(3)} ms own=${selfMs.toFixed(3)} ms rows=${rows} loops=${loops})`
}
