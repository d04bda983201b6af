import { isRecord, type JsonObject, parseJson } from './plain-values.ts'

/** Version of the grammar. A dashboard of a later version is shown as such, and not changed. */
export const DASHBOARD_VERSION = 1

export const TILE_KINDS = ['number', 'bar', 'line', 'stacked', 'table', 'map', 'calendar'] as const
export type TileKind = (typeof TILE_KINDS)[number]
export const MEASURE_KINDS = ['count', 'sum', 'average', 'min', 'max'] as const
export type MeasureKind = (typeof MEASURE_KINDS)[number]
export const DATE_STEPS = ['day', 'week', 'month', 'quarter', 'year'] as const
export type DateStep = (typeof DATE_STEPS)[number]
export const DASHBOARD_FILTER_KINDS = ['choice', 'person', 'date'] as const
export type DashboardFilterKind = (typeof DASHBOARD_FILTER_KINDS)[number]

export const TILES_MAX = 24
export const DASHBOARD_FILTERS_MAX = 5
export const TILE_COLUMNS_MAX = 8
/** Columns of the grid in which tiles lie, and the rows that a tile may cover. */
export const TILE_WIDTH_MAX = 4
export const TILE_HEIGHT_MAX = 3

/** A field to group by; `by` only for dates. */
export interface TileGroup {
  readonly field: string
  readonly by?: DateStep
}

/** What is calculated; all but a count are of a number field. */
export interface TileMeasure {
  readonly kind: MeasureKind
  readonly field?: string
}

/** A tile of a dashboard. Tables and fields have their names on devices. */
export interface DashboardTile {
  readonly id: string
  readonly kind: TileKind
  /** Absent: named after what it shows. */
  readonly title?: string
  readonly table: string
  /** In the language of views: `all(state.in.open)`. */
  readonly filter?: string
  readonly group?: TileGroup
  /** The parts of each bar of a stacked tile. */
  readonly stack?: TileGroup
  /** Absent: the number of records. */
  readonly measure?: TileMeasure
  /** Order and columns of a table. */
  readonly sort?: string
  readonly fields?: readonly string[]
  /** The date field of a calendar. */
  readonly date?: string
  /** The position fields of a map, as views store them. */
  readonly point?: string
  readonly width: number
  readonly height: number
  /** By the id of a filter of the dashboard: the field that it applies to here, or `''` for none. */
  readonly linked?: Readonly<Record<string, string>>
}

/** A filter of the dashboard. It applies to every tile whose table has the field. */
export interface DashboardFilter {
  readonly id: string
  readonly kind: DashboardFilterKind
  readonly field: string
}

export interface DashboardConfig {
  readonly filters: readonly DashboardFilter[]
  readonly tiles: readonly (DashboardTile | UnreadTile)[]
}

/** A tile that this version cannot show. It keeps what is stored. */
export interface UnreadTile {
  readonly id: string
  readonly kind: 'unread'
  readonly stored: unknown
  readonly problem: string
}

export type ReadDashboard =
  | { readonly kind: 'read'; readonly config: DashboardConfig }
  /** Made by a newer version. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'broken'; readonly problem: string }

type Check = (value: unknown) => boolean

const text =
  (max: number, min = 1): Check =>
  (value) =>
    typeof value === 'string' && [...value].length >= min && [...value].length <= max
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value)
const whole =
  (max: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
const NAME = text(200)
const ID: Check = (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,40}$/.test(value)
const object =
  (parts: Readonly<Record<string, Check>>, required: readonly string[]): Check =>
  (value) =>
    isRecord(value) &&
    required.every((key) => key in value) &&
    Object.entries(value).every(([key, part]) => parts[key]?.(part) === true)
const list =
  (item: Check, max: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= max && value.every(item)

const GROUP = object({ field: NAME, by: oneOf(DATE_STEPS) }, ['field'])
const TILE_PARTS: Readonly<Record<keyof DashboardTile, Check>> = {
  id: ID,
  kind: oneOf(TILE_KINDS),
  title: text(80),
  table: NAME,
  filter: text(4_000),
  group: GROUP,
  stack: GROUP,
  measure: (value) =>
    object({ kind: oneOf(MEASURE_KINDS), field: NAME }, ['kind'])(value) &&
    isRecord(value) &&
    (value['kind'] === 'count') === !('field' in value),
  sort: text(1_000),
  fields: list(NAME, TILE_COLUMNS_MAX),
  date: NAME,
  point: text(401),
  width: whole(TILE_WIDTH_MAX),
  height: whole(TILE_HEIGHT_MAX),
  linked: (value) =>
    isRecord(value) &&
    Object.keys(value).length <= DASHBOARD_FILTERS_MAX &&
    Object.entries(value).every(([id, field]) => ID(id) && text(200, 0)(field)),
}
const FILTER = object({ id: ID, kind: oneOf(DASHBOARD_FILTER_KINDS), field: NAME }, ['id', 'kind', 'field'])

/** Returns why a tile is not of the grammar; `undefined` if it is. */
export function tileProblem(tile: unknown): string | undefined {
  if (!isRecord(tile)) return 'A tile is an object.'
  if (!ID(tile['id'])) return 'A tile has an id of 1 to 40 letters, digits, "_" or "-".'
  const name = String(tile['id'])
  if (!TILE_PARTS.kind(tile['kind'])) return `The tile ${name} has a kind that this version does not know.`
  for (const [key, value] of Object.entries(tile)) {
    const check: Check | undefined = Object.hasOwn(TILE_PARTS, key) ? TILE_PARTS[key as keyof DashboardTile] : undefined
    if (check?.(value) !== true) return `The tile ${name} has a setting that this version does not know: ${key}.`
  }
  for (const key of requiredOf(tile)) if (!(key in tile)) return `The tile ${name} lacks its ${key}.`
  return undefined
}

function requiredOf({ kind }: JsonObject): readonly string[] {
  const always = ['table', 'width', 'height']
  if (kind === 'stacked') return [...always, 'group', 'stack']
  return kind === 'bar' || kind === 'line' ? [...always, 'group'] : always
}

/** Returns why a stored dashboard is refused, as the database does; `undefined` if it is accepted. */
export function dashboardProblem(config: unknown): string | undefined {
  const frame = frameProblem(config)
  if (frame !== undefined || !isRecord(config)) return frame
  const tiles = config['tiles'] as readonly unknown[]
  for (const tile of tiles) {
    const problem = tileProblem(tile)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Returns a problem outside the tiles. */
function frameProblem(config: unknown): string | undefined {
  if (!isRecord(config)) return 'A dashboard is an object.'
  if (config['version'] !== DASHBOARD_VERSION) return 'The dashboard was made by another version.'
  const other = Object.keys(config).find((key) => !['version', 'filters', 'tiles'].includes(key))
  if (other !== undefined) return `The dashboard has a setting that this version does not know: ${other}.`
  if (!list(FILTER, DASHBOARD_FILTERS_MAX)(config['filters'] ?? [])) return 'A filter of the dashboard is not valid.'
  const { tiles } = config
  if (!Array.isArray(tiles) || tiles.length > TILES_MAX) return `A dashboard has at most ${TILES_MAX} tiles.`
  if (hasTwice(tiles) || hasTwice(config['filters'] ?? [])) return 'Two parts of the dashboard have the same id.'
  return undefined
}

function hasTwice(parts: unknown): boolean {
  const ids = Array.isArray(parts) ? parts.flatMap((part) => (isRecord(part) ? [part['id']] : [])) : []
  return new Set(ids).size < ids.length
}

/** Reads a stored dashboard. Tiles that this version does not know are kept as they are. */
export function readDashboard(json: string | null): ReadDashboard {
  const stored = parseJson(json ?? '')
  if (isRecord(stored) && Number(stored['version']) > DASHBOARD_VERSION) return { kind: 'newer' }
  const problem = frameProblem(stored)
  if (problem !== undefined || !isRecord(stored)) return { kind: 'broken', problem: problem ?? '' }
  const tiles = (stored['tiles'] as readonly unknown[]).map((tile, index): DashboardTile | UnreadTile => {
    const unread = tileProblem(tile)
    if (unread === undefined) return tile as DashboardTile
    const id = isRecord(tile) && ID(tile['id']) ? String(tile['id']) : `unread-${index}`
    return { id, kind: 'unread', stored: tile, problem: unread }
  })
  return { kind: 'read', config: { filters: (stored['filters'] ?? []) as readonly DashboardFilter[], tiles } }
}

/** Renders a dashboard for storage. */
export function renderDashboard({ filters, tiles }: DashboardConfig): string {
  return JSON.stringify({
    version: DASHBOARD_VERSION,
    ...(filters.length > 0 && { filters }),
    tiles: tiles.map((tile) => (tile.kind === 'unread' ? tile.stored : tile)),
  })
}
