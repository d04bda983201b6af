/** A plan of `EXPLAIN (FORMAT JSON)`, prepared to be shown. */
export interface Plan {
  readonly root: PlanNode
  /** Times in ms; missing for a statement that was not run. */
  readonly planningMs?: number
  readonly executionMs?: number
  readonly triggers: readonly PlanTrigger[]
}

export interface PlanTrigger {
  readonly name: string
  readonly ms: number
  readonly calls: number
}

export interface PlanNode {
  /** Place in the tree: `0.1.0`. */
  readonly id: string
  /** As in Postgres's text: `Index Scan using notes_pkey on notes n`. */
  readonly label: string
  readonly costs: { readonly startup: number; readonly total: number; readonly width: number }
  /** Estimated rows per run of the node. */
  readonly estimate: number
  /** Measured values; missing for a statement that was not run. */
  readonly actual?: PlanActual
  /** How many times more (above 1) or fewer rows than estimated, if that matters. */
  readonly misestimate?: number
  /** Conditions, keys and the like, with their names. */
  readonly details: readonly (readonly [name: string, value: string])[]
  readonly children: readonly PlanNode[]
}

export interface PlanActual {
  /** 0 for a node that never ran. */
  readonly loops: number
  /** Rows per run. */
  readonly rows: number
  /** Elapsed ms of all runs, with and without the nodes below. */
  readonly totalMs: number
  readonly selfMs: number
  /** Blocks of 8 KiB that the node itself used, by name: `hit`, `read`, `dirtied`, `written`, `temp read`. */
  readonly buffers: readonly (readonly [name: string, blocks: number])[]
}

type Raw = Readonly<Record<string, unknown>>

/** A misestimate matters from this factor on, and from so many rows. */
const MISESTIMATE_FACTOR = 10
const MISESTIMATE_ROWS = 100

const BUFFERS = [
  ['hit', 'Shared Hit Blocks'],
  ['read', 'Shared Read Blocks'],
  ['dirtied', 'Shared Dirtied Blocks'],
  ['written', 'Shared Written Blocks'],
  ['local hit', 'Local Hit Blocks'],
  ['local read', 'Local Read Blocks'],
  ['temp read', 'Temp Read Blocks'],
  ['temp written', 'Temp Written Blocks'],
] as const

/** Properties that have a place of their own, or that the label has. */
const SHOWN: ReadonlySet<string> = new Set([
  'Node Type',
  'Plans',
  'Workers',
  'Parallel Aware',
  'Async Capable',
  'Parent Relationship',
  'Operation',
  'Startup Cost',
  'Total Cost',
  'Plan Rows',
  'Plan Width',
  'Disabled',
  'Join Type',
  'Strategy',
  'Partial Mode',
  'Actual Startup Time',
  'Actual Total Time',
  'Actual Rows',
  'Actual Loops',
  'Scan Direction',
  'Schema',
  'Relation Name',
  'Alias',
  'Index Name',
  'CTE Name',
  'Function Name',
  'Subplan Name',
])

/** Reads the answer of Postgres. @throws {Error} for another text */
export function parsePlan(json: string): Plan {
  const [explained] = JSON.parse(json) as readonly Raw[]
  const raw = explained?.['Plan'] as Raw | undefined
  if (!explained || !raw) throw new Error('EXPLAIN returned no plan')
  const [planningMs, executionMs] = [explained['Planning Time'], explained['Execution Time']]
  const triggers = (explained['Triggers'] ?? []) as readonly Raw[]
  return {
    root: readNode(raw, { id: '0', workers: 1, ctes: readCtes(raw) }),
    ...(typeof planningMs === 'number' && { planningMs }),
    ...(typeof executionMs === 'number' && { executionMs }),
    triggers: triggers.map((trigger) => ({
      name: [textIn(trigger, 'Trigger Name'), textIn(trigger, 'Relation')].filter(Boolean).join(' on '),
      ms: numberIn(trigger, 'Time'),
      calls: numberIn(trigger, 'Calls'),
    })),
  }
}

/** Lists a plan's nodes, parents first. */
export function listNodes(node: PlanNode): readonly PlanNode[] {
  return [node, ...node.children.flatMap(listNodes)]
}

interface Place {
  readonly id: string
  /** Processes that run the node. Their times overlap. */
  readonly workers: number
  /** Nodes of `with` queries by name. Their time is spent in the scans that read them. */
  readonly ctes: ReadonlyMap<string, Raw>
}

function readNode(raw: Raw, place: Place): PlanNode {
  const estimate = numberIn(raw, 'Plan Rows')
  const actual = readActual(raw, place)
  const misestimate = actual && misestimateOf(estimate, actual)
  const workers = place.workers * (1 + numberIn(raw, 'Workers Launched'))
  return {
    id: place.id,
    label: labelOf(raw),
    costs: {
      startup: numberIn(raw, 'Startup Cost'),
      total: numberIn(raw, 'Total Cost'),
      width: numberIn(raw, 'Plan Width'),
    },
    estimate,
    ...(actual && { actual }),
    ...(misestimate !== undefined && { misestimate }),
    details: detailsOf(raw),
    children: childrenOf(raw).map((child, at) => readNode(child, { ...place, id: `${place.id}.${at}`, workers })),
  }
}

function readActual(raw: Raw, { workers, ctes }: Place): PlanActual | undefined {
  if (raw['Actual Loops'] === undefined) return undefined
  const below = workers * (1 + numberIn(raw, 'Workers Launched'))
  const cte = ctes.get(textIn(raw, 'CTE Name'))
  const children = childrenOf(raw).filter((child) => !isCte(child))
  const totalMs = elapsedMs(raw, workers)
  const spentMs = sum(children.map((child) => elapsedMs(child, below))) + (cte ? elapsedMs(cte, workers) : 0)
  return {
    loops: numberIn(raw, 'Actual Loops'),
    rows: numberIn(raw, 'Actual Rows'),
    totalMs,
    selfMs: Math.max(0, totalMs - spentMs),
    buffers: BUFFERS.flatMap(([name, key]): (readonly [string, number])[] => {
      const own = numberIn(raw, key) - sum([...children, ...(cte ? [cte] : [])].map((one) => numberIn(one, key)))
      return own > 0 ? [[name, own]] : []
    }),
  }
}

/** Elapsed ms: Postgres has the mean of all runs, in all processes. */
function elapsedMs(raw: Raw, workers: number): number {
  const loops = numberIn(raw, 'Actual Loops')
  return (numberIn(raw, 'Actual Total Time') * loops) / Math.max(1, Math.min(workers, loops))
}

function misestimateOf(estimate: number, { loops, rows }: PlanActual): number | undefined {
  if (loops === 0 || Math.max(estimate, rows) * loops < MISESTIMATE_ROWS) return undefined
  const factor = Math.max(1, rows) / Math.max(1, estimate)
  return factor >= MISESTIMATE_FACTOR || factor <= 1 / MISESTIMATE_FACTOR ? factor : undefined
}

const AGGREGATES: Readonly<Record<string, string>> = {
  Plain: 'Aggregate',
  Sorted: 'GroupAggregate',
  Hashed: 'HashAggregate',
  Mixed: 'MixedAggregate',
}

function labelOf(raw: Raw): string {
  const subplan = textIn(raw, 'Subplan Name')
  const relation = textIn(raw, 'Relation Name')
  const name = relation || textIn(raw, 'CTE Name') || textIn(raw, 'Function Name')
  const alias = textIn(raw, 'Alias')
  const index = textIn(raw, 'Index Name')
  const kind = kindOf(raw)
  const isOnIndex = kind === 'Bitmap Index Scan'
  return [
    subplan === '' ? '' : `${subplan}:`,
    raw['Parallel Aware'] === true ? 'Parallel' : '',
    kind,
    textIn(raw, 'Scan Direction') === 'Backward' ? 'Backward' : '',
    index === '' ? '' : isOnIndex ? `on ${index}` : `using ${index}`,
    name === '' ? (alias === '' ? '' : `on ${alias}`) : `on ${name}`,
    name === '' || alias === '' || alias === name ? '' : alias,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function kindOf(raw: Raw): string {
  const type = textIn(raw, 'Node Type')
  const join = textIn(raw, 'Join Type')
  if (type === 'ModifyTable') return textIn(raw, 'Operation') || type
  if (type === 'Aggregate') {
    const mode = textIn(raw, 'Partial Mode')
    const kind = AGGREGATES[textIn(raw, 'Strategy')] ?? type
    return mode === '' || mode === 'Simple' ? kind : `${mode} ${kind}`
  }
  if (join === '' || join === 'Inner') return type
  return type.endsWith(' Join') ? type.replace(/ Join$/, ` ${join} Join`) : `${type} ${join} Join`
}

function detailsOf(raw: Raw): PlanNode['details'] {
  return Object.entries(raw).flatMap(([name, value]): (readonly [string, string])[] => {
    if (SHOWN.has(name) || name.endsWith(' Blocks') || value === false || value === 0) return []
    if (Array.isArray(value)) return [[name, value.map(printed).join(', ')]]
    return [[name, printed(value)]]
  })
}

function printed(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function readCtes(raw: Raw): ReadonlyMap<string, Raw> {
  const found = isCte(raw) ? [[textIn(raw, 'Subplan Name').slice(CTE.length), raw] as const] : []
  return new Map([...found, ...childrenOf(raw).flatMap((child) => [...readCtes(child)])])
}

const CTE = 'CTE '

function isCte(raw: Raw): boolean {
  return textIn(raw, 'Subplan Name').startsWith(CTE)
}

function childrenOf(raw: Raw): readonly Raw[] {
  return (raw['Plans'] ?? []) as readonly Raw[]
}

function textIn(raw: Raw, key: string): string {
  const value = raw[key]
  return typeof value === 'string' ? value : ''
}

function numberIn(raw: Raw, key: string): number {
  const value = raw[key]
  return typeof value === 'number' ? value : 0
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
