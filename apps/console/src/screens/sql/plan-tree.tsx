import { ChevronDown, ChevronRight } from 'lucide-react'
import { type JSX, type KeyboardEvent, useRef, useState } from 'react'
import { Chip } from '@holdfast/workspace'
import { Facts } from '../../components/facts.tsx'
import { formatCount } from '../../lib/format.ts'
import { listNodes, type PlanNode } from './plan-nodes.ts'

/** Above so many nodes only the first levels are open. */
const OPEN_NODES_MAX = 150
const OPEN_LEVELS = 3

/** A plan as a tree, with the properties of the chosen node below it. Arrow keys move, open and close. */
export function PlanTree({ root }: { readonly root: PlanNode }): JSX.Element {
  const nodes = listNodes(root)
  const [closed, setClosed] = useState<ReadonlySet<string>>(
    () =>
      new Set(
        nodes.length <= OPEN_NODES_MAX ? [] : nodes.filter((one) => levelOf(one) >= OPEN_LEVELS).map(({ id }) => id),
      ),
  )
  const [chosen, setChosen] = useState(root.id)
  const tree = useRef<HTMLDivElement>(null)
  const shown = nodes.filter(({ id }) => ancestorsOf(id).every((above) => !closed.has(above)))
  const focus = (id: string | undefined): void => {
    if (id === undefined) return
    setChosen(id)
    tree.current?.querySelector<HTMLElement>(`[data-node="${id}"]`)?.focus()
  }
  const toggle = (id: string, isOpen: boolean): void =>
    setClosed((before) => {
      const after = new Set(before)
      if (isOpen) after.delete(id)
      else after.add(id)
      return after
    })
  const press = (event: KeyboardEvent): void => {
    const at = shown.findIndex(({ id }) => id === chosen)
    const node = shown[at]
    const move = node && MOVES[event.key]?.({ shown, at, node, isOpen: !closed.has(node.id), toggle })
    if (move === undefined) return
    event.preventDefault()
    focus(move)
  }
  const node = nodes.find(({ id }) => id === chosen) ?? root
  return (
    <div className="flex flex-col gap-3">
      <div className="overflow-hidden rounded-lg border border-border">
        <p
          aria-hidden
          className={`${COLUMNS} border-b border-border bg-surface px-3 py-1.5 text-small font-medium text-muted max-laptop:hidden`}
        >
          <span>Node</span>
          <span className="text-right">Own time</span>
          <span className="text-right">Total</span>
          <span className="text-right">Rows</span>
          <span>Own buffers</span>
        </p>
        {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its items receive the focus */}
        <div ref={tree} role="tree" aria-label="Plan" className="max-h-128 overflow-auto py-1" onKeyDown={press}>
          {shown.map((one) => (
            <TreeItem
              key={one.id}
              node={one}
              totalMs={root.actual?.totalMs}
              isOpen={!closed.has(one.id)}
              isChosen={one.id === chosen}
              onChoose={() => focus(one.id)}
              onToggle={() => toggle(one.id, closed.has(one.id))}
            />
          ))}
        </div>
      </div>
      <section aria-label="Chosen node" className="flex flex-col gap-2 rounded-lg border border-border px-4 py-3">
        <p className="font-medium [overflow-wrap:anywhere]">{node.label}</p>
        <Facts facts={factsOf(node)} />
      </section>
    </div>
  )
}

interface Step {
  readonly shown: readonly PlanNode[]
  readonly at: number
  readonly node: PlanNode
  readonly isOpen: boolean
  readonly toggle: (id: string, isOpen: boolean) => void
}

/** The node that a key leads to, as in the ARIA pattern for trees. */
const MOVES: Readonly<Record<string, (step: Step) => string | undefined>> = {
  ArrowDown: ({ shown, at, node }) => (shown[at + 1] ?? node).id,
  ArrowUp: ({ shown, at, node }) => (shown[at - 1] ?? node).id,
  Home: ({ shown }) => shown[0]?.id,
  End: ({ shown }) => shown.at(-1)?.id,
  ArrowRight: ({ node, isOpen, toggle }) => {
    if (isOpen) return node.children[0]?.id ?? node.id
    toggle(node.id, true)
    return node.id
  },
  ArrowLeft: ({ node, isOpen, toggle }) => {
    if (!isOpen || node.children.length === 0) return ancestorsOf(node.id).at(-1) ?? node.id
    toggle(node.id, false)
    return node.id
  },
  Enter: toggled,
  ' ': toggled,
}

function toggled({ node, isOpen, toggle }: Step): string {
  toggle(node.id, !isOpen)
  return node.id
}

const COLUMNS = 'grid gap-x-4 laptop:grid-cols-[minmax(0,1fr)_6rem_6rem_13rem_11rem]'
const CELL = 'text-small tabular-nums laptop:text-right'
const LABEL = 'text-muted laptop:sr-only'

function TreeItem({
  node,
  totalMs,
  isOpen,
  isChosen,
  onChoose,
  onToggle,
}: {
  readonly node: PlanNode
  readonly totalMs: number | undefined
  readonly isOpen: boolean
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly onToggle: () => void
}): JSX.Element {
  const { label, actual, children, estimate } = node
  const level = levelOf(node)
  const share = actual && totalMs ? actual.selfMs / totalMs : 0
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree handles keys
    <div
      role="treeitem"
      data-node={node.id}
      tabIndex={isChosen ? 0 : -1}
      aria-level={level + 1}
      aria-selected={isChosen}
      aria-expanded={children.length === 0 ? undefined : isOpen}
      className={`${COLUMNS} cursor-default px-3 py-1 -outline-offset-2 ${isChosen ? 'bg-selection' : 'hover:bg-hover'}`}
      onClick={onChoose}
    >
      <span className="flex min-w-0 items-start gap-1" style={{ paddingInlineStart: Math.min(level, 12) * 16 }}>
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- arrow keys do the same */}
        <span aria-hidden className="mt-0.5 size-4 shrink-0" onClick={onToggle}>
          {children.length === 0 ? null : <Chevron size={16} />}
        </span>
        <span className="min-w-0 [overflow-wrap:anywhere]">{label}</span>
      </span>
      <span className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 max-laptop:pl-5 laptop:contents">
        {actual && actual.loops > 0 ? (
          <>
            <span className={`${CELL} ${share >= 0.3 ? 'font-semibold text-warning' : ''}`}>
              <span className={LABEL}>own </span>
              {formatMs(actual.selfMs)}
              <span aria-hidden className="mt-0.5 block h-0.5 max-laptop:hidden">
                <span className="ml-auto block h-full bg-warning" style={{ width: `${Math.min(100, share * 100)}%` }} />
              </span>
            </span>
            <span className={CELL}>
              <span className={LABEL}>total </span>
              {formatMs(actual.totalMs)}
            </span>
          </>
        ) : (
          <span className={`${CELL} laptop:col-span-2`}>{actual ? 'never ran' : ''}</span>
        )}
        <Rows node={node} estimate={estimate} />
        <span className="text-small tabular-nums">
          {actual?.buffers.map(([name, blocks]) => `${formatCount(blocks)} ${name}`).join(', ')}
        </span>
      </span>
    </div>
  )
}

function Rows({ node: { actual, misestimate }, estimate }: { readonly node: PlanNode; readonly estimate: number }) {
  return (
    <span className={`${CELL} flex flex-wrap items-baseline gap-x-2 laptop:justify-end`}>
      {misestimate === undefined ? null : <Chip colour="amber">{describeMisestimate(misestimate)}</Chip>}
      <span>
        {actual && actual.loops > 0 ? `${formatCount(actual.rows)} of ` : ''}
        <span className="text-muted">est. {formatCount(estimate)}</span>
        {actual && actual.loops > 1 ? <span className="text-muted"> × {formatCount(actual.loops)}</span> : null}
      </span>
    </span>
  )
}

function describeMisestimate(factor: number): string {
  return factor > 1 ? `${formatCount(Math.round(factor))}× more` : `${formatCount(Math.round(1 / factor))}× fewer`
}

function factsOf({ actual, costs, estimate, misestimate, details }: PlanNode): readonly (readonly [string, string])[] {
  return [
    ...details,
    ['Cost', `${costs.startup.toFixed(2)} to ${costs.total.toFixed(2)}`],
    ['Estimated rows', `${formatCount(estimate)}, ${costs.width} bytes each`],
    ...(actual && actual.loops > 0
      ? ([
          ['Rows per run', `${formatCount(actual.rows)}${misestimate === undefined ? '' : ', a wrong estimate'}`],
          ['Runs', formatCount(actual.loops)],
          ['Time', `${formatMs(actual.selfMs)} of ${formatMs(actual.totalMs)} in this node itself`],
        ] as const)
      : []),
  ]
}

export function formatMs(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(ms < 10 ? 2 : 1)} ms` : `${(ms / 1_000).toFixed(2)} s`
}

function levelOf({ id }: PlanNode): number {
  return id.split('.').length - 1
}

/** Ids of the nodes above, from the root. */
function ancestorsOf(id: string): readonly string[] {
  const parts = id.split('.')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'))
}
