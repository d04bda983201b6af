import { Link } from '@tanstack/react-router'
import { Minus, Plus } from 'lucide-react'
import { type JSX, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { TableRelation } from '@holdfast/protocol'
import { Button, IconButton } from '@holdfast/workspace'
import { layoutTables, NODE_WIDTH, type Position } from './layout-tables.ts'
import { idOf, type ShownTable } from './shown-tables.ts'

const TITLE_HEIGHT = 32
const ROW_HEIGHT = 20

/** Zoom factors, and what one step multiplies. */
const ZOOM_MIN = 0.2
const ZOOM_MAX = 2
const ZOOM_STEP = 1.25

/** Tables as boxes with their keys, foreign keys as lines. Scroll to move; zoom with the buttons, or the wheel and Ctrl. */
export function RelationsDiagram({
  tables,
  relations,
}: {
  readonly tables: readonly ShownTable[]
  readonly relations: readonly TableRelation[]
}): JSX.Element {
  const [zoom, setZoom] = useState(1)
  const [active, setActive] = useState<string>()
  const area = useRef<HTMLDivElement>(null)
  const { positions, width, height } = useMemo(
    () =>
      layoutTables(
        tables.map(({ id, columns }) => ({ id, height: heightOf(columns.length) })),
        relations.map((relation) => ({ from: idOf(relation.schema, relation.table), to: targetOf(relation) })),
      ),
    [tables, relations],
  )
  const fit = (): void => {
    const { clientWidth = width, clientHeight = height } = area.current ?? {}
    setZoom(within(Math.min(clientWidth / width, clientHeight / height, 1)))
  }
  useWheelZoom(area, (factor) => setZoom((before) => within(before * factor)))
  const tablesById = new Map(tables.map((table) => [table.id, table]))
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <IconButton
          label="Zoom out"
          icon={<Minus size={16} aria-hidden />}
          isDisabled={zoom <= ZOOM_MIN}
          onPress={() => setZoom(within(zoom / ZOOM_STEP))}
        />
        <span role="status" className="w-12 text-center text-small text-muted tabular-nums">
          {Math.round(zoom * 100)} %
        </span>
        <IconButton
          label="Zoom in"
          icon={<Plus size={16} aria-hidden />}
          isDisabled={zoom >= ZOOM_MAX}
          onPress={() => setZoom(within(zoom * ZOOM_STEP))}
        />
        <Button size="sm" onPress={fit}>
          Fit
        </Button>
        <Button size="sm" onPress={() => setZoom(1)}>
          100 %
        </Button>
      </div>
      <div
        ref={area}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys
        tabIndex={0}
        role="region"
        aria-label="Diagram of relations. The list below has the same."
        className="h-[36rem] max-h-[70vh] overflow-auto rounded-lg border border-border bg-surface"
      >
        <svg width={width * zoom} height={height * zoom} viewBox={`0 0 ${width} ${height}`} className="block">
          <g aria-hidden fill="none">
            {relations.map((relation) => (
              <Line
                key={`${idOf(relation.schema, relation.table)} ${relation.name}`}
                relation={relation}
                positions={positions}
                tables={tablesById}
                active={active}
              />
            ))}
          </g>
          {tables.map((table) => {
            const at = positions.get(table.id)
            return at ? <Box key={table.id} table={table} at={at} onActive={setActive} /> : null
          })}
        </svg>
      </div>
    </div>
  )
}

function heightOf(columns: number): number {
  return TITLE_HEIGHT + columns * ROW_HEIGHT + 8
}

function within(zoom: number): number {
  return Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom))
}

function targetOf({ targetSchema, targetTable }: TableRelation): string {
  return idOf(targetSchema, targetTable)
}

/** Zooms with the wheel while Ctrl or Cmd is held, as a pinch on a touchpad reports it. React's own wheel events cannot prevent the page's zoom. */
function useWheelZoom(area: RefObject<HTMLDivElement | null>, onZoom: (factor: number) => void): void {
  const latest = useRef(onZoom)
  useEffect(() => {
    latest.current = onZoom
  })
  useEffect(() => {
    const element = area.current
    if (!element) return
    const listen = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      latest.current(2 ** (-event.deltaY / 300))
    }
    element.addEventListener('wheel', listen, { passive: false })
    return () => element.removeEventListener('wheel', listen)
  }, [area])
}

/** A table: its name, and the columns of its keys. */
function Box({
  table: { id, schema, name, label, columns },
  at,
  onActive,
}: {
  readonly table: ShownTable
  readonly at: Position
  readonly onActive: (id: string | undefined) => void
}): JSX.Element {
  return (
    <Link
      to="/tables"
      search={{ schema, table: name, tab: 'structure' }}
      className="group outline-none"
      onMouseEnter={() => onActive(id)}
      onMouseLeave={() => onActive(undefined)}
      onFocus={() => onActive(id)}
      onBlur={() => onActive(undefined)}
    >
      <g transform={`translate(${at.x} ${at.y})`}>
        <rect
          width={NODE_WIDTH}
          height={heightOf(columns.length)}
          rx={8}
          className="fill-raised stroke-control group-hover:stroke-accent group-focus-visible:stroke-accent group-focus-visible:stroke-3"
        />
        {label.length > 28 ? <title>{label}</title> : null}
        <text x={12} y={21} className="fill-text text-small font-medium">
          {cut(label, 28)}
        </text>
        {columns.map((column, index) => (
          <text
            key={column.name}
            x={12}
            y={TITLE_HEIGHT + index * ROW_HEIGHT + 14}
            className={`font-mono text-mono ${column.isKey ? 'fill-text' : 'fill-muted'}`}
          >
            {cut(column.isKey ? `key ${column.name}` : column.name, 25)}
          </text>
        ))}
      </g>
    </Link>
  )
}

/** A foreign key: from the row of its first column to the referenced one. */
function Line({
  relation,
  positions,
  tables,
  active,
}: {
  readonly relation: TableRelation
  readonly positions: ReadonlyMap<string, Position>
  readonly tables: ReadonlyMap<string, ShownTable>
  readonly active: string | undefined
}): JSX.Element | null {
  const [from, to] = [idOf(relation.schema, relation.table), targetOf(relation)]
  const start = pointOf(positions.get(from), tables.get(from), relation.columns[0])
  const end = pointOf(positions.get(to), tables.get(to), relation.targetColumns[0])
  if (!start || !end) return null
  const isActive = active === from || active === to
  const tone = isActive ? 'stroke-accent stroke-2' : active === undefined ? 'stroke-control' : 'stroke-border'
  return <path d={curve(start, end)} className={tone} />
}

function pointOf(
  at: Position | undefined,
  table: ShownTable | undefined,
  column: string | undefined,
): Position | undefined {
  if (!at || !table) return undefined
  const index = Math.max(
    0,
    table.columns.findIndex(({ name }) => name === column),
  )
  return { x: at.x, y: at.y + TITLE_HEIGHT + index * ROW_HEIGHT + 10 }
}

/** From the left side of the referring table to the right side of the referenced one; around the left where they share a column. */
function curve(start: Position, end: Position): string {
  if (end.x >= start.x) {
    const x = Math.min(start.x, end.x) - 36
    return `M ${start.x} ${start.y} C ${x} ${start.y}, ${x} ${end.y}, ${end.x} ${end.y}`
  }
  const right = end.x + NODE_WIDTH
  const bend = (start.x - right) / 2
  return `M ${start.x} ${start.y} C ${start.x - bend} ${start.y}, ${right + bend} ${end.y}, ${right} ${end.y}`
}

function cut(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
}
